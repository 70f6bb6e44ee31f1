//! The geometric functions of GLSL.std.450, on floats of any width.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use ::spirv::GlslStd450Op as GLOp;

impl Translator<'_, '_> {
    /// A geometric function.
    pub(super) fn geometric(&mut self, inst: &Inst, op: GLOp) -> Result<()> {
        let ty = self.result_type(inst)?;
        let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let first = inst.word(5)?;
        let wrong = Err(SpirvError::WrongType(first));
        let result: Vec<Scalar> = if matches!(op, GLOp::Determinant | GLOp::MatrixInverse) {
            let m = self.columns(first)?;
            if m.iter().any(|column| column.len() != m.len()) {
                return wrong;
            }
            match op {
                GLOp::Determinant => vec![self.determinant(&m)],
                _ => self.inverse(&m).into_iter().flatten().collect(),
            }
        } else {
            let mut args = Vec::new();
            for &id in inst.rest(5).iter().take(3) {
                args.push(self.reals(id)?);
            }
            let needed = match op {
                GLOp::Length | GLOp::Normalize => 1,
                GLOp::FaceForward | GLOp::Refract => 3,
                _ => 2,
            };
            let vectors = if op == GLOp::Refract { 2 } else { needed };
            if args.len() != needed || args[..vectors].iter().any(|arg| arg.len() != args[0].len()) {
                return wrong;
            }
            if op == GLOp::Cross && args[0].len() != 3 || op == GLOp::Refract && args[2].len() != 1 {
                return wrong;
            }
            self.vector_function(op, &args)
        };
        let value: Val = result.into_iter().map(|v| self.round_real(v, leaf)).collect();
        self.define(inst, value)
    }

    fn length(&mut self, a: &[Scalar]) -> Scalar {
        if let [only] = a {
            return self.rabs(*only);
        }
        let square = self.dot(a, a, true);
        self.rsqrt(square)
    }

    fn vector_function(&mut self, op: GLOp, args: &[Vec<Scalar>]) -> Vec<Scalar> {
        let a = &args[0];
        match op {
            GLOp::Length => vec![self.length(a)],
            GLOp::Distance => {
                let difference: Vec<Scalar> =
                    a.iter().zip(&args[1]).map(|(&a, &b)| self.rsub(a, b)).collect();
                vec![self.length(&difference)]
            }
            GLOp::Normalize => {
                let length = self.length(a);
                let one = self.real(length, 1.0);
                let scale = self.rdiv(one, length);
                a.iter().map(|&a| self.rmul(a, scale)).collect()
            }
            GLOp::Cross => [(1, 2), (2, 0), (0, 1)]
                .into_iter()
                .map(|(i, j)| {
                    let second = self.rmul(a[j], args[1][i]);
                    let second = self.rneg(second);
                    self.rfma(a[i], args[1][j], second)
                })
                .collect(),
            GLOp::FaceForward => {
                let dot = self.dot(&args[2], &args[1], true);
                let zero = self.real(dot, 0.0);
                let towards = self.rlt(dot, zero);
                a.iter()
                    .map(|&n| {
                        let minus = self.rneg(n);
                        self.blend(towards, n, minus)
                    })
                    .collect()
            }
            GLOp::Reflect => {
                let dot = self.dot(&args[1], a, true);
                let minus_two = self.real(dot, -2.0);
                let factor = self.rmul(dot, minus_two);
                a.iter()
                    .zip(&args[1])
                    .map(|(&i, &n)| self.rfma(factor, n, i))
                    .collect()
            }
            _ => self.refract(a, &args[1], args[2][0]),
        }
    }

    fn refract(&mut self, i: &[Scalar], n: &[Scalar], eta: Scalar) -> Vec<Scalar> {
        let (zero, one) = (self.real(eta, 0.0), self.real(eta, 1.0));
        let dot = self.dot(n, i, true);
        let minus = self.rneg(dot);
        let sine = self.rfma(minus, dot, one);
        let square = self.rmul(eta, eta);
        let square = self.rneg(square);
        let k = self.rfma(square, sine, one);
        let total = self.rlt(k, zero);
        let root = self.rsqrt(k);
        let along = self.rfma(eta, dot, root);
        let along = self.rneg(along);
        i.iter()
            .zip(n)
            .map(|(&i, &n)| {
                let scaled = self.rmul(eta, i);
                let bent = self.rfma(along, n, scaled);
                self.blend(total, zero, bent)
            })
            .collect()
    }
}
