//! Which statements change nothing but variables and the contents of channels, so that what they did can be taken back piece by piece.

use super::instruction::{Address, Instruction as I};
use super::{Code, EdgeCode};
use crate::automaton::{AutomatonId, EdgeId};
use std::collections::HashSet;

/// What instructions may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum May {
    Look,
    Change,
}

impl Code {
    pub(crate) fn can_be_taken_back(&self, automaton: AutomatonId, edge: EdgeId) -> bool {
        let EdgeCode { guard, effect, asks_timeout, .. } = *self.edge(automaton, edge);
        !asks_timeout
            && guard
                .is_none_or(|guard| self.all_of_block(guard, |instruction| is_suited(instruction, May::Look)))
            && self.all_of_block(effect, |instruction| is_suited(instruction, May::Change))
    }

    /// Whether something is true of all instructions that a block may come to.
    fn all_of_block(&self, start: Address, is_true: impl Fn(I) -> bool) -> bool {
        let (mut met, mut waiting) = (HashSet::new(), vec![start]);
        while let Some(mut at) = waiting.pop() {
            while met.insert(at) {
                let instruction = self.instruction(at);
                if !is_true(instruction) {
                    return false;
                }
                at = Address(at.0 + 1);
                match instruction {
                    I::Return | I::Fail(..) | I::Offer { .. } => break,
                    I::Jump(to) => at = to,
                    I::JumpIfZero(to) | I::JumpIfRendezvous(to) => waiting.push(to),
                    _ => {}
                }
            }
        }
        true
    }
}

fn is_suited(instruction: I, may: May) -> bool {
    match instruction {
        // Others are there afterwards, or something else about them.
        I::Run { .. }
        | I::Die
        | I::SetPriority(_)
        | I::CreateChannel(..)
        | I::Initialise(..)
        // What others could do.
        | I::Timeout
        | I::Enabled(_) => false,
        I::Send { .. } | I::Receive { .. } | I::Store { .. } | I::StoreAt { .. } => may == May::Change,
        I::Constant(_)
        | I::Load(..)
        | I::Show(..)
        | I::LoadAt(_)
        | I::Index { .. }
        | I::Pid
        | I::ShowPid
        | I::NumberOfProcesses
        | I::Last
        | I::OwnPriority
        | I::NonProgress
        | I::Unary(_)
        | I::Binary(..)
        | I::Truth
        | I::Pop
        | I::Duplicate
        | I::Jump(_)
        | I::JumpIfZero(_)
        | I::Return
        | I::Require
        | I::Otherwise
        | I::Youngest
        | I::Fail(..)
        | I::Channel(_)
        | I::JumpIfRendezvous(_)
        | I::Length
        | I::Full
        | I::HasRoom
        | I::AwaitMessage
        | I::AwaitRoom
        | I::Find { .. }
        | I::CheckFields { .. }
        | I::Offer { .. }
        | I::CheckReceived { .. }
        | I::Field(_)
        | I::Forget
        | I::PcValue
        | I::GetPriority
        | I::RemoteLabel { .. }
        | I::RemoteVariable { .. }
        | I::Assert(_)
        | I::Print(_)
        | I::Chose { .. } => true,
    }
}
