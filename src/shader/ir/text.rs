//! The text form: printed by `Display`, read back by [`parse`].
//!
//! ```text
//! func saxpy width 8 frame 0 states 1
//! block0(v0: S64, v1: S64):
//!   v2 = l.load v0 #16
//!   v3 = s.const #0
//!   return v3
//! ```

use super::{Block, BlockId, Func, Inst, Op, Target, Terminator, Type, Value};
use std::collections::BTreeMap;
use std::fmt;

const TYPES: [(Type, &str); 5] = [
    (Type::B, "B"),
    (Type::S32, "S32"),
    (Type::S64, "S64"),
    (Type::V, "V"),
    (Type::M, "M"),
];

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            TYPES
                .iter()
                .find(|(ty, _)| ty == self)
                .map_or("?", |(_, name)| name),
        )
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

fn list(values: &[Value]) -> String {
    values
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block{}({})", self.block.0, list(&self.args))
    }
}

impl fmt::Display for Inst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.result != Value::NONE {
            write!(f, "{} = ", self.result)?;
        }
        f.write_str(self.op.info().name)?;
        if !self.args.is_empty() {
            write!(f, " {}", list(&self.args))?;
        }
        if self.op.info().has_imm {
            write!(f, " #{}", self.imm)?;
        }
        Ok(())
    }
}

impl fmt::Display for Terminator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(target) => write!(f, "jump {target}"),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => write!(f, "branch {cond} {then} {otherwise}"),
            Terminator::Return(status) => write!(f, "return {status}"),
        }
    }
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { "_" } else { &self.name };
        let name: String = name
            .chars()
            .map(|c| if c.is_whitespace() { '_' } else { c })
            .collect();
        writeln!(
            f,
            "func {name} width {} frame {} states {}",
            self.width, self.frame_bytes, self.states
        )?;
        for (i, block) in self.blocks.iter().enumerate() {
            let params: Vec<String> = block
                .params
                .iter()
                .map(|&p| format!("{p}: {}", self.ty(p)))
                .collect();
            writeln!(f, "block{i}({}):", params.join(", "))?;
            for inst in &block.insts {
                writeln!(f, "  {inst}")?;
            }
            if let Some(term) = &block.term {
                writeln!(f, "  {term}")?;
            }
        }
        Ok(())
    }
}

/// A line that could not be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// What was expected.
    pub message: String,
}

/// Reads the text form. Value numbers are kept; the result is not verified.
///
/// # Errors
/// The first line that cannot be read.
pub fn parse(text: &str) -> Result<Func, ParseError> {
    let mut reader = Reader {
        func: Func {
            blocks: Vec::new(),
            ..Func::new("", 8, &[])
        },
        types: BTreeMap::new(),
    };
    for (i, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or_default().trim();
        if !line.is_empty() {
            reader
                .line(line)
                .map_err(|message| ParseError { line: i + 1, message })?;
        }
    }
    reader.finish().map_err(|message| ParseError {
        line: text.lines().count(),
        message,
    })
}

struct Reader {
    func: Func,
    types: BTreeMap<Value, Type>,
}

/// Values of one function; keeps a wild number from asking for a huge table.
const MAX_VALUES: u32 = 1 << 22;

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("expected a number, found `{text}`"))
}

fn value(text: &str) -> Result<Value, String> {
    let digits = text
        .trim()
        .strip_prefix('v')
        .ok_or_else(|| format!("expected a value, found `{text}`"))?;
    match number(digits)? {
        n if n < MAX_VALUES => Ok(Value(n)),
        _ => Err(format!("value number of `{text}` is too large")),
    }
}

fn values(text: &str) -> Result<Vec<Value>, String> {
    text.split(',')
        .filter(|part| !part.trim().is_empty())
        .map(value)
        .collect()
}

/// Splits `block3(v1, v2) rest` into the block, what is in the parentheses, and the rest.
fn block_with_list(text: &str) -> Result<(BlockId, &str, &str), String> {
    let bad = || format!("expected `blockN(…)`, found `{text}`");
    let (head, rest) = text.trim().split_once('(').ok_or_else(bad)?;
    let (inside, rest) = rest.split_once(')').ok_or_else(bad)?;
    let id = head.strip_prefix("block").ok_or_else(bad)?;
    Ok((BlockId(number(id)?), inside, rest))
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(header) = line.strip_prefix("func ") {
            return self.header(header);
        }
        if line.starts_with("block") && line.ends_with(':') {
            return self.block(line);
        }
        if self.func.blocks.is_empty() {
            return Err("an instruction before the first block".to_owned());
        }
        match self.terminator(line)? {
            Some(term) => self
                .func
                .blocks
                .last_mut()
                .into_iter()
                .for_each(|b| b.term = Some(term.clone())),
            None => self.inst(line)?,
        }
        Ok(())
    }

    fn header(&mut self, header: &str) -> Result<(), String> {
        let words: Vec<&str> = header.split_whitespace().collect();
        let [name, "width", width, "frame", frame, "states", states] = words[..] else {
            return Err("expected `func NAME width N frame N states N`".to_owned());
        };
        name.clone_into(&mut self.func.name);
        self.func.width = number(width)?;
        self.func.frame_bytes = number(frame)?;
        self.func.states = number(states)?;
        Ok(())
    }

    fn define(&mut self, value: Value, ty: Type) -> Result<(), String> {
        match self.types.insert(value, ty) {
            Some(_) => Err(format!("{value} is defined twice")),
            None => Ok(()),
        }
    }

    fn block(&mut self, line: &str) -> Result<(), String> {
        let (id, inside, _) = block_with_list(line)?;
        if id.index() != self.func.blocks.len() {
            return Err(format!(
                "expected block{}, found block{}",
                self.func.blocks.len(),
                id.0
            ));
        }
        let mut params = Vec::new();
        for part in inside.split(',').filter(|part| !part.trim().is_empty()) {
            let (name, ty) = part
                .split_once(':')
                .ok_or_else(|| format!("expected `vN: TYPE` in `{part}`"))?;
            let name_of = |(_, name): &&(Type, &str)| *name == ty.trim();
            let (ty, _) = TYPES
                .iter()
                .find(name_of)
                .ok_or_else(|| format!("unknown type `{}`", ty.trim()))?;
            params.push(value(name)?);
            self.define(value(name)?, *ty)?;
        }
        self.func.blocks.push(Block {
            params,
            ..Block::default()
        });
        Ok(())
    }

    fn terminator(&self, line: &str) -> Result<Option<Terminator>, String> {
        let target = |text| -> Result<(Target, &str), String> {
            let (block, inside, rest) = block_with_list(text)?;
            Ok((
                Target {
                    block,
                    args: values(inside)?,
                },
                rest,
            ))
        };
        Ok(Some(if let Some(rest) = line.strip_prefix("jump ") {
            Terminator::Jump(target(rest)?.0)
        } else if let Some(rest) = line.strip_prefix("branch ") {
            let (cond, rest) = rest
                .split_once(' ')
                .ok_or("expected `branch vN blockN(…) blockN(…)`")?;
            let (then, rest) = target(rest)?;
            Terminator::Branch {
                cond: value(cond)?,
                then,
                otherwise: target(rest)?.0,
            }
        } else if let Some(rest) = line.strip_prefix("return ") {
            Terminator::Return(value(rest)?)
        } else {
            return Ok(None);
        }))
    }

    fn inst(&mut self, line: &str) -> Result<(), String> {
        let (result, rest) = match line.split_once('=') {
            Some((name, rest)) => (value(name)?, rest.trim()),
            None => (Value::NONE, line),
        };
        let (rest, imm) = match rest.split_once('#') {
            Some((rest, imm)) => (rest.trim(), number(imm)?),
            None => (rest, 0),
        };
        let (name, args) = rest.split_once(' ').unwrap_or((rest, ""));
        let op = Op::ALL.iter().find(|op| op.info().name == name);
        let op = *op.ok_or_else(|| format!("unknown operation `{name}`"))?;
        match (op.info().result, result) {
            (Some(ty), value) if value != Value::NONE => self.define(value, ty)?,
            (None, Value::NONE) => {}
            _ => {
                return Err(format!(
                    "`{name}` has a result where it should have none, or none where it should"
                ));
            }
        }
        let inst = Inst {
            op,
            args: values(args)?.into(),
            imm,
            result,
            origin: super::NO_ORIGIN,
        };
        self.func
            .blocks
            .last_mut()
            .into_iter()
            .for_each(|block| block.insts.push(inst.clone()));
        Ok(())
    }

    fn finish(mut self) -> Result<Func, String> {
        if self.func.blocks.is_empty() {
            return Err("no block".to_owned());
        }
        let n = self.types.keys().next_back().map_or(0, |last| last.index() + 1);
        self.func.types = vec![Type::S32; n];
        for (value, ty) in self.types {
            self.func.types[value.index()] = ty;
        }
        Ok(self.func)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::ir::{Builder, verify};

    fn sample() -> Func {
        let mut func = Func::new("sample", 8, &[Type::S64, Type::S64]);
        let (ctx, entry) = (func.blocks[0].params[0], BlockId(0));
        let mut b = Builder::new(&mut func, entry);
        let (exit, params) = b.add_block(&[Type::V]);
        let x = b.vload(ctx, 16);
        let y = b.fconst(0.5);
        let m = b.flt(x, y);
        let any = b.many(m);
        b.branch(any, (exit, &[x]), (exit, &[y]));
        b.switch_to(exit);
        b.vstore(ctx, params[0], -4);
        let done = b.sconst(0);
        b.ret(done);
        func
    }

    #[test]
    fn text_form_round_trips() {
        let func = sample();
        assert_eq!(verify(&func), Ok(()), "the sample is valid");
        assert_eq!(parse(&func.to_string()).as_ref(), Ok(&func), "{func}");
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse("func f width 8 frame 0 states 1\nblock0():\n  v1 = s.frob v0\n").unwrap_err();
        assert_eq!(error.to_string(), "line 3: unknown operation `s.frob`");
    }

    #[test]
    fn verifier_catches_each_kind_of_fault() {
        let text = sample().to_string();
        for (from, to, expect) in [
            ("width 8", "width 4", "width 4 is neither"),
            ("branch v6", "branch v5", "has type M"),
            ("block1(v3)", "block1()", "0 arguments"),
            ("v.store v0, v2", "v.store v0, v0", "has type S64"),
            ("f.lt v3, v4", "f.lt v3", "takes 2 operands"),
            ("f.lt v3, v4", "f.lt v3, v2", "does not reach"),
        ] {
            assert!(text.contains(from), "{from} in {text}");
            let func = parse(&text.replacen(from, to, 1)).unwrap();
            let error = verify(&func).unwrap_err().to_string();
            assert!(error.contains(expect), "{from} -> {to}: {error}");
        }
    }
}
