//! Control flow against the same functions in Rust.

use super::run::{Dispatch, FUEL, run, run_on};
use super::{both, spv};
use crate::shader::abi::Status;
use crate::shader::kernel::Backend;

fn collatz(mut n: i32) -> i32 {
    let mut steps = 0;
    while n != 1 {
        if steps > 200 {
            return -1;
        }
        n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

fn nested(n: i32, k: i32) -> i32 {
    let mut sum = 0;
    for i in 0..n {
        if i == 3 {
            continue;
        }
        for j in 0..10 {
            if j > i {
                break;
            }
            if (i + j) % 3 == 1 {
                continue;
            }
            sum += i * 10 + j;
            if sum > 500 {
                return sum;
            }
        }
        if i > k {
            break;
        }
        sum += 1;
    }
    sum
}

fn choose(n: i32) -> i32 {
    match n & 7 {
        0 => 1,
        1 => 112,
        2 => 107,
        3 if n > 8 => 100,
        3 => 33,
        4 => 104,
        6 => 200,
        _ => -200,
    }
}

fn uniform_choose(k: i32) -> i32 {
    let mut r = 0;
    for i in 0..6 {
        match i + k {
            2 => {
                r += 1;
                continue;
            }
            3 => r += 110,
            4 => r += 100,
            7 => return r,
            _ => r += 1000,
        }
        r += 10000;
    }
    r
}

fn do_while(n: i32) -> i32 {
    let mut i = 0;
    loop {
        i += n;
        if i > 50 || i >= 20 {
            return i;
        }
    }
}

#[test]
fn lanes_go_their_own_ways() {
    let inputs: Vec<i32> = (0..16).map(|i| 1 + (i * 7) % 16).collect();
    for k in [0, 1, 3, 77] {
        let words = inputs.iter().map(|&x| x as u32).collect();
        let mut dispatch = Dispatch::new(both!("flow.comp"), vec![words, vec![0xdead; 144]]);
        dispatch.push = vec![k as u32];
        let out = run(&dispatch).remove(1);
        for (i, &x) in inputs.iter().enumerate() {
            let at = |n: usize| out[16 * n + i] as i32;
            assert_eq!(at(0), collatz(x), "collatz({x})");
            assert_eq!(at(1), nested(x, k), "nested({x}, {k})");
            assert_eq!(at(2), choose(x), "choose({x})");
            assert_eq!(at(3), uniform_choose(k), "uniform_choose({k})");
            assert_eq!(at(4), do_while(x), "do_while({x})");
            let y = if x > 5 && x < 12 {
                x * 2
            } else if x == 13 || k == 77 {
                -1
            } else {
                x
            };
            assert_eq!(at(5), y, "selection of {x}");
            let v = match (k > 2, x > 4) {
                (true, true) => x + 100,
                (true, false) => x,
                _ => 4,
            };
            assert_eq!(at(6), v, "nested selection of {x}");
            let found = inputs.iter().position(|&a| a == x + 1).map_or(-16, |p| p as i32);
            let (seven, eight) = if x == 9 { (0xdead, 0xdead) } else { (1, found) };
            assert_eq!((at(7), at(8)), (seven, eight), "after the return of {x}");
        }
    }
}

#[test]
fn endless_loops_run_out_of_fuel() {
    let dispatch = Dispatch::new(both!("endless.comp"), vec![vec![1; 16], vec![0; 16]]);
    assert_eq!(
        run_on(&dispatch, 0, Backend::Interpreter).1,
        Status::OutOfFuel as u32
    );
    let dispatch = Dispatch::new(both!("endless.comp"), vec![vec![0; 16], vec![0; 16]]);
    let (buffers, status) = run_on(&dispatch, 0, Backend::Interpreter);
    assert_eq!((status, &buffers[1][..]), (Status::Done as u32, &[3; 16][..]));
}

/// Turns of an endless loop before it ends.
fn turns(shader: [&'static [u8]; 2], form: usize) -> i64 {
    let dispatch = Dispatch::new(shader, vec![vec![1; 16], vec![0; 16]]);
    let (buffers, status) = run_on(&dispatch, form, Backend::Interpreter);
    assert_eq!(status, Status::OutOfFuel as u32);
    buffers[1][0].into()
}

#[test]
fn turns_of_large_loops_take_more_fuel() {
    for form in [0, 1] {
        let busy = turns(both!("busy.comp"), form);
        assert!(
            (FUEL / 16..=FUEL / 4).contains(&busy),
            "{busy} turns of a busy loop"
        );
    }
}
