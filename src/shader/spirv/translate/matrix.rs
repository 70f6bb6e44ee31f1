//! Products of vectors and matrices. Sums of products use fused multiply-add, in order of the components.

use super::Translator;
use super::value::{Scalar, Val};
use crate::shader::spirv::SpirvError;
use crate::shader::spirv::error::Result;
use crate::shader::spirv::parse::Inst;
use crate::shader::spirv::types::{Leaf, Type};
use ::spirv::{Decoration, Op};

/// A matrix by columns; a vector is one column.
type Columns = Vec<Vec<Scalar>>;

impl Translator<'_, '_> {
    /// Emits one of the linear algebra instructions.
    pub(super) fn matrix_inst(&mut self, inst: &Inst) -> Result<()> {
        let fused = self
            .source
            .decoration(inst.word(2)?, Decoration::NoContraction)
            .is_none();
        let ty = self.result_type(inst)?;
        let leaf = self.types.leaf(ty).ok_or(SpirvError::WrongType(inst.word(2)?))?;
        let a = self.columns(inst.word(3)?)?;
        if inst.op == Op::Transpose {
            let result = transpose(&a);
            return self.define_columns(inst, result, leaf);
        }
        let b = self.columns(inst.word(4)?)?;
        let wrong = Err(SpirvError::WrongType(inst.word(4)?));
        let result = match inst.op {
            Op::Dot if a[0].len() == b[0].len() => vec![vec![self.dot(&a[0], &b[0], fused)]],
            Op::VectorTimesScalar | Op::MatrixTimesScalar if b.len() == 1 && b[0].len() == 1 => {
                let by = b[0][0];
                let scale = |column: Vec<Scalar>, t: &mut Self| -> Vec<Scalar> {
                    column.into_iter().map(|s| t.rmul(s, by)).collect()
                };
                a.into_iter().map(|column| scale(column, self)).collect()
            }
            Op::OuterProduct => {
                let column = |by: Scalar, t: &mut Self| a[0].iter().map(|&s| t.rmul(s, by)).collect();
                b[0].iter().map(|&by| column(by, self)).collect()
            }
            Op::MatrixTimesVector | Op::MatrixTimesMatrix => {
                if b.iter().any(|column| column.len() != a.len()) {
                    return wrong;
                }
                let rows = transpose(&a);
                b.iter()
                    .map(|column| rows.iter().map(|row| self.dot(row, column, fused)).collect())
                    .collect()
            }
            Op::VectorTimesMatrix => {
                if b.iter().any(|column| column.len() != a[0].len()) {
                    return wrong;
                }
                vec![b.iter().map(|column| self.dot(&a[0], column, fused)).collect()]
            }
            _ => return wrong,
        };
        self.define_columns(inst, result, leaf)
    }

    fn define_columns(&mut self, inst: &Inst, columns: Columns, leaf: Leaf) -> Result<()> {
        let values = columns.into_iter().flatten();
        let value: Val = values.map(|value| self.round_real(value, leaf)).collect();
        self.define(inst, value)
    }

    /// The columns of a float scalar, vector or matrix.
    pub(super) fn columns(&mut self, id: u32) -> Result<Columns> {
        let ty = self.type_of(id)?;
        let wrong = SpirvError::WrongType(id);
        if !matches!(self.types.leaf(ty), Some(Leaf::Float(_))) {
            return Err(wrong);
        }
        let rows = match *self.types.get(ty) {
            Type::Matrix(column, _) => self.types.comps(column) as usize,
            Type::Scalar(_) | Type::Vector(..) => self.types.comps(ty) as usize,
            _ => return Err(wrong),
        };
        let value = self.value(id)?;
        Ok(value.chunks(rows.max(1)).map(<[Scalar]>::to_vec).collect())
    }

    /// Sum of products.
    pub(super) fn dot(&mut self, a: &[Scalar], b: &[Scalar], fused: bool) -> Scalar {
        let mut sum = None;
        for (&a, &b) in a.iter().zip(b) {
            sum = Some(match sum {
                None => self.rmul(a, b),
                Some(sum) if fused => self.rfma(a, b, sum),
                Some(sum) => {
                    let product = self.rmul(a, b);
                    self.radd(sum, product)
                }
            });
        }
        sum.unwrap_or_else(|| self.v32(0).into())
    }

    /// `a * b - c * d`.
    fn cross_difference(&mut self, a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar {
        let second = self.rmul(c, d);
        let second = self.rneg(second);
        self.rfma(a, b, second)
    }

    /// Determinant of a square matrix.
    pub(super) fn determinant(&mut self, m: &[Vec<Scalar>]) -> Scalar {
        match m.len() {
            1 => m[0][0],
            2 => self.cross_difference(m[0][0], m[1][1], m[1][0], m[0][1]),
            n => {
                let mut sum = None;
                for i in 0..n {
                    let minor = self.minor(m, i, 0);
                    let minor = if i % 2 == 1 { self.rneg(minor) } else { minor };
                    sum = Some(match sum {
                        None => self.rmul(m[i][0], minor),
                        Some(sum) => self.rfma(m[i][0], minor, sum),
                    });
                }
                sum.unwrap_or_else(|| self.v32(0).into())
            }
        }
    }

    /// Determinant without a column and a row.
    fn minor(&mut self, m: &[Vec<Scalar>], column: usize, row: usize) -> Scalar {
        let keep = |skip: usize| move |(i, _): &(usize, &Scalar)| *i != skip;
        let small: Columns = m
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != column)
            .map(|(_, c)| c.iter().enumerate().filter(keep(row)).map(|(_, &v)| v).collect())
            .collect();
        self.determinant(&small)
    }

    /// Inverse of a square matrix, by cofactors.
    pub(super) fn inverse(&mut self, m: &[Vec<Scalar>]) -> Columns {
        let n = m.len();
        let determinant = self.determinant(m);
        let one = self.real(determinant, 1.0);
        let scale = self.rdiv(one, determinant);
        (0..n)
            .map(|column| {
                (0..n)
                    .map(|row| {
                        let minor = self.minor(m, row, column);
                        let minor = if (row + column) % 2 == 1 {
                            self.rneg(minor)
                        } else {
                            minor
                        };
                        self.rmul(minor, scale)
                    })
                    .collect()
            })
            .collect()
    }
}

fn transpose(columns: &[Vec<Scalar>]) -> Columns {
    let rows = columns.first().map_or(0, Vec::len);
    (0..rows)
        .map(|row| {
            columns
                .iter()
                .filter_map(|column| column.get(row).copied())
                .collect()
        })
        .collect()
}
