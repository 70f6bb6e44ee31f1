//! Traps: a compiled kernel that touches memory which is not there ends with `Status::Fault`.
//!
//! Each entry into compiled code keeps the stack pointer at which it can be left again. The handler of SIGSEGV
//! and SIGBUS claims a signal only if the instruction at fault lies in compiled code and the thread is inside an
//! entry; it then goes on behind that entry. All other signals go to the handler that was there before.

use super::entry::Trap;
use crate::shader::abi::Status;
use crate::shader::guard;
use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// What an entry leaves for the handler.
#[repr(C)]
struct Recovery {
    /// Stack pointer inside `enter`; its place is known to the assembly.
    stack: u64,
    outer: *mut Recovery,
    trap: Option<Trap>,
}

thread_local! {
    /// The innermost entry of this thread.
    static CURRENT: Cell<*mut Recovery> = const { Cell::new(std::ptr::null_mut()) };
    /// The latest trap of this thread.
    static LATEST: Cell<Option<Trap>> = const { Cell::new(None) };
}

/// Takes the trap that ended the latest call of this thread, if one did.
pub(super) fn take() -> Option<Trap> {
    LATEST.take()
}

/// Notes the trap of the call that is running.
pub(super) fn report(trap: Trap) {
    LATEST.set(Some(trap));
}

/// See [`super::entry::guard_code`].
pub(super) fn guard_code() -> (u64, u64) {
    (
        decide as *const () as usize as u64,
        leave as *const () as usize as u64,
    )
}

/// See [`super::entry::refuse_code`].
pub(super) fn refuse_code() -> u64 {
    refuse as *const () as usize as u64
}

/// Whether a call with bad descriptors may go on: 0, or the stack pointer to leave with.
extern "sysv64" fn judge(ctx: u64, sampler: u64) -> u64 {
    let current = CURRENT.get();
    if guard::refuse(ctx, sampler != 0) || current.is_null() {
        return 0;
    }
    // SAFETY: as in `decide`.
    unsafe { (*current).stack }
}

/// A routine that leaves the kernel it is called from, unless no lane is on.
#[unsafe(naked)]
unsafe extern "sysv64" fn refuse(ctx: u64, data: u64) -> u32 {
    std::arch::naked_asm!(
        "sub rsp, 8",
        "call {judge}",
        "add rsp, 8",
        "test rax, rax",
        "jne 2f",
        "ret",
        "2:",
        "mov rsp, rax",
        "mov eax, 2",
        "jmp {leave}",
        judge = sym judge,
        leave = sym leave,
    )
}

const _: () = assert!(Status::Fault as u32 == 2, "what `refuse` gives");

/// Decides a guard: 0 to go on, or the stack pointer to leave with.
extern "sysv64" fn decide(ctx: u64, record: u64) -> u64 {
    let current = CURRENT.get();
    if guard::miss(ctx, record) || current.is_null() {
        return 0;
    }
    // SAFETY: the thread is inside the entry that owns it, since compiled code has called this.
    unsafe { (*current).stack }
}

/// Calls `code(ctx, arg)`; gives `Status::Fault` if it trapped.
///
/// # Safety
/// `code` is code of the kernel ABI, and `ctx` and `arg` are what it expects.
pub(super) unsafe fn call(code: u64, ctx: u64, arg: u64) -> u32 {
    let mut recovery = Recovery {
        stack: 0,
        outer: CURRENT.get(),
        trap: None,
    };
    CURRENT.set(&raw mut recovery);
    // SAFETY: the caller vouches for the code; `recovery` outlives the call.
    let status = unsafe { enter(code, ctx, arg, &raw mut recovery) };
    CURRENT.set(recovery.outer);
    if let Some(trap) = recovery.trap {
        let (address, problem) = guard::explain(ctx, trap.address);
        LATEST.set(Some(Trap {
            address,
            problem: Some(problem),
            ..trap
        }));
    }
    status
}

/// Saves what the ABI asks to keep, notes the stack pointer in `recovery`, and calls.
#[unsafe(naked)]
unsafe extern "sysv64" fn enter(code: u64, ctx: u64, arg: u64, recovery: *mut Recovery) -> u32 {
    std::arch::naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rcx], rsp",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "call rax",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Where the handler goes on, with the stack pointer of `enter` and the status in `eax`.
#[unsafe(naked)]
unsafe extern "sysv64" fn leave() {
    std::arch::naked_asm!(
        "vzeroupper",
        "cld",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Most arenas of code there can be at once.
const MAX_ARENAS: usize = 4096;

/// Where compiled code is: begin and end of each arena, read by the handler without locks.
static ARENAS: [(AtomicU64, AtomicU64); MAX_ARENAS] =
    [const { (AtomicU64::new(0), AtomicU64::new(0)) }; MAX_ARENAS];

/// Notes an arena; false if there is no room. The caller holds the lock of the arenas.
pub(super) fn add_arena(base: usize, len: usize) -> bool {
    install();
    let Some((begin, end)) = ARENAS.iter().find(|(_, end)| end.load(Ordering::Relaxed) == 0) else {
        return false;
    };
    begin.store(base as u64, Ordering::Relaxed);
    end.store((base + len) as u64, Ordering::Release);
    true
}

/// Forgets an arena. The caller holds the lock of the arenas.
pub(super) fn remove_arena(base: usize) {
    let at = |(begin, end): &&(AtomicU64, AtomicU64)| {
        begin.load(Ordering::Relaxed) == base as u64 && end.load(Ordering::Relaxed) != 0
    };
    if let Some((_, end)) = ARENAS.iter().find(at) {
        end.store(0, Ordering::Release);
    }
}

fn is_code(address: u64) -> bool {
    ARENAS
        .iter()
        .any(|(begin, end)| address < end.load(Ordering::Acquire) && begin.load(Ordering::Relaxed) <= address)
}

const SIGNALS: [i32; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// The handlers that were there before, by signal; never freed, since a signal may be on its way to one.
static PREVIOUS: [AtomicPtr<libc::sigaction>; 2] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];

/// Puts the handler in place, again if another has taken it since.
fn install() {
    for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
        // SAFETY: all zero is a valid `sigaction`: the default action, no flags, an empty mask.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: a null new action only asks for the present one.
        let known = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) } == 0;
        if !known || now.sa_sigaction == handler as *const () as usize {
            continue;
        }
        previous.store(Box::into_raw(Box::new(now)), Ordering::Release);
        let mut ours = now;
        ours.sa_sigaction = handler as *const () as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | now.sa_flags & libc::SA_NODEFER;
        // SAFETY: the handler has the signature that SA_SIGINFO asks for and is safe to run at any point.
        unsafe { libc::sigaction(signal, &raw const ours, std::ptr::null_mut()) };
    }
}

/// Gives the signals back when the library is unloaded.
extern "C" fn uninstall() {
    for (signal, previous) in SIGNALS.into_iter().zip(&PREVIOUS) {
        // SAFETY: as in `install`.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: as in `install`.
        let known = unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut now) } == 0;
        let before = previous.load(Ordering::Acquire);
        if known && now.sa_sigaction == handler as *const () as usize && !before.is_null() {
            // SAFETY: `before` came from `Box::into_raw` and is never freed.
            unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
        }
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static UNINSTALL: extern "C" fn() = uninstall;

/// The handler. It takes no lock and allocates nothing.
extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO the kernel passes a `ucontext_t`, which is ours until we return.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let instruction = registers[libc::REG_RIP as usize] as u64;
    let current = CURRENT.get();
    if current.is_null() || !is_code(instruction) {
        return pass_on(signal, info, context);
    }
    // SAFETY: the thread is inside the entry that owns it; `info` is valid for these signals.
    let (recovery, address) = unsafe { (&mut *current, (*info).si_addr() as u64) };
    // Bit 1 of the page-fault error code is set for writes.
    let write = registers[libc::REG_ERR as usize] & 2 != 0;
    recovery.trap = Some(Trap::new(address, write, instruction));
    registers[libc::REG_RSP as usize] = recovery.stack as i64;
    registers[libc::REG_RIP as usize] = leave as *const () as i64;
    registers[libc::REG_RAX as usize] = Status::Fault as i64;
}

/// Hands a signal that is not ours to the handler that was there before.
fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let slot = usize::from(signal == libc::SIGBUS);
    let before = PREVIOUS[slot].load(Ordering::Acquire);
    // SAFETY: it is null or came from `Box::into_raw` and is never freed.
    let Some(before) = (unsafe { before.as_ref() }) else {
        return;
    };
    match before.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // The default action, once the instruction faults again: the process ends as it would without us.
            // SAFETY: all zero is the default action.
            let default: libc::sigaction = unsafe { std::mem::zeroed() };
            // SAFETY: as above.
            unsafe { libc::sigaction(signal, &raw const default, std::ptr::null_mut()) };
        }
        function if before.sa_flags & libc::SA_SIGINFO != 0 => {
            type Full = extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: who registered it with SA_SIGINFO gave a function of this type.
            let function = unsafe { std::mem::transmute::<usize, Full>(function) };
            function(signal, info, context);
        }
        function => {
            // SAFETY: who registered it without SA_SIGINFO gave a function of this type.
            let function = unsafe { std::mem::transmute::<usize, extern "C" fn(i32)>(function) };
            function(signal);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::shader::abi::Status;
    use crate::shader::codegen::entry::Trap;
    use crate::shader::ir::{BlockId, Builder, Func, Type};
    use crate::shader::kernel::{Backend, compile};

    /// A kernel that reads (or writes) a vector at `arg`, on every back end of machine code that runs here.
    fn touch(address: u64, write: bool) -> Vec<(u32, Option<Trap>)> {
        [Backend::Avx2, Backend::Avx512]
            .into_iter()
            .filter(|backend| backend.is_supported())
            .map(|backend| {
                let mut func = Func::new("touch", backend.width(), &[Type::S64, Type::S64]);
                let (ctx, arg) = (func.blocks[0].params[0], func.blocks[0].params[1]);
                let mut b = Builder::new(&mut func, BlockId(0));
                let (from, to) = if write { (ctx, arg) } else { (arg, ctx) };
                let x = b.vload(from, 0);
                b.vstore(to, x, 0);
                let done = b.sconst(0);
                b.ret(done);
                let kernel = compile(func, backend).unwrap();
                let mut scratch = [0u32; 16];
                let status = kernel.call(scratch.as_mut_ptr() as u64, address);
                (status, super::take())
            })
            .collect()
    }

    #[test]
    fn a_wild_access_ends_the_kernel_and_tells_its_address() {
        for write in [false, true] {
            for (status, trap) in touch(0x10ff_ffff_0000, write) {
                assert_eq!(status, Status::Fault as u32);
                let trap = trap.unwrap();
                assert_eq!((trap.address, trap.write), (0x10ff_ffff_0000, write));
            }
            for (status, _) in touch(0x8000_0000_0000_0000, write) {
                assert_eq!(status, Status::Fault as u32, "an address no process can have");
            }
        }
        let mut good = [7u32; 16];
        for (status, trap) in touch(good.as_mut_ptr() as u64, false) {
            assert_eq!(
                (status, trap),
                (Status::Done as u32, None),
                "the thread goes on as before"
            );
        }
    }
}
