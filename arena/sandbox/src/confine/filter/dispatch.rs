//! Joins many filters into one program for the kernel. Each call meets only the filter for it.
//!
//! When the kernel gets a filter, it tries the number of every call on it, and translates it. Each start of a bot
//! therefore pays for every comparison. A binary search among ranges of numbers has few.

use seccompiler::{BpfProgram, sock_filter};

/// Loads the number of the call.
const LOAD_NUMBER: sock_filter = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };

/// The program for the calls from a number on, up to the number of the next part. It ends with a verdict.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) first: u32,
    pub(super) program: BpfProgram,
}

/// Joins all parts into one program. The parts are in the order of their numbers. A number below the first goes to the
/// first part.
pub(super) fn join(parts: &[Part]) -> BpfProgram {
    let mut program = vec![LOAD_NUMBER];
    program.append(&mut search(parts));
    program
}

fn search(parts: &[Part]) -> BpfProgram {
    if let [] | [_] = parts {
        return parts.iter().flat_map(|part| part.program.iter().cloned()).collect();
    }
    let (low, high) = parts.split_at(parts.len() / 2);
    let (first, mut low, mut high) = (high[0].first, search(low), search(high));
    let mut program = match u8::try_from(low.len()) {
        Ok(length) => vec![jump_from(first, length, 0)],
        Err(_) => vec![jump_from(first, 0, 1), jump(low.len())],
    };
    program.append(&mut low);
    program.append(&mut high);
    program
}

/// The offset of the arguments of a call, and the distance between two of them, in bytes. On all known processors the
/// lower half of an argument comes first.
const ARGUMENTS_BEGIN: u32 = 16;
const ARGUMENT_BYTES: u32 = 8;

/// Returns a program with one verdict for the orders of a list. All other orders go to the program `otherwise`. An
/// order is an argument whose lower half alone matters to the kernel.
pub(super) fn one_of(argument: u32, orders: &[u32], verdict: u32, mut otherwise: BpfProgram) -> BpfProgram {
    let load = sock_filter { k: ARGUMENTS_BEGIN + argument * ARGUMENT_BYTES, ..LOAD_NUMBER };
    let left = |at: usize| orders.len() - at - 1 + otherwise.len();
    let jump_to_end = |(at, &order): (usize, &u32)| {
        let count = u8::try_from(left(at)).expect("a list has a hundred orders at most");
        sock_filter { code: 0x15, jt: count, jf: 0, k: order }
    };
    let mut program: BpfProgram =
        [load].into_iter().chain(orders.iter().enumerate().map(jump_to_end)).collect();
    program.append(&mut otherwise);
    program.append(&mut always(verdict));
    program
}

/// Returns an instruction that skips `if_so` instructions if the call's number is at least `number`. Otherwise it skips
/// `if_not` instructions.
fn jump_from(number: u32, if_so: u8, if_not: u8) -> sock_filter {
    sock_filter { code: 0x35, jt: if_so, jf: if_not, k: number }
}

/// Returns an instruction that skips `count` instructions.
fn jump(count: usize) -> sock_filter {
    let k = u32::try_from(count).expect("a filter has a few thousand instructions at most");
    sock_filter { code: 0x05, jt: 0, jf: 0, k }
}

/// Returns a program that does the same with every call.
pub(super) fn always(verdict: u32) -> BpfProgram {
    vec![sock_filter { code: 0x06, jt: 0, jf: 0, k: verdict }]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns the program's answer to a call with these arguments, and the number of steps to it.
    pub(in super::super) fn run(program: &[sock_filter], call: u32, arguments: [u32; 2]) -> (u32, usize) {
        let (mut at, mut loaded) = (0, 0);
        for steps in 1.. {
            let op = &program[at];
            if op.code == LOAD_NUMBER.code {
                loaded = match op.k.checked_sub(ARGUMENTS_BEGIN) {
                    None => call,
                    Some(place) => arguments[(place / ARGUMENT_BYTES) as usize],
                };
            }
            at += 1 + match op.code {
                0x20 => 0,
                0x05 => op.k as usize,
                0x15 if loaded == op.k => usize::from(op.jt),
                0x35 if loaded >= op.k => usize::from(op.jt),
                0x15 | 0x35 => usize::from(op.jf),
                0x06 => return (op.k, steps),
                code => panic!("no instruction of ours: {code:#x}"),
            };
        }
        unreachable!("every program ends with a verdict")
    }

    #[test]
    fn each_call_meets_the_part_for_it_after_few_steps() {
        for count in 1..300 {
            let parts: Vec<Part> = (0..count)
                .map(|number| Part { first: 10 + 7 * number, program: always(10 + 7 * number) })
                .collect();
            let program = join(&parts);
            for call in 0..2_200 {
                let expected =
                    parts.iter().rev().find(|part| part.first <= call).map_or(10, |part| part.first);
                let (answer, steps) = run(&program, call, [0, 0]);
                assert_eq!(answer, expected, "call {call} among {count}");
                assert!(steps <= 4 + 2 * count.ilog2() as usize, "{steps} steps to {call} among {count}");
            }
        }
    }

    #[test]
    fn only_the_orders_of_a_list_get_its_verdict() {
        let orders: Vec<u32> = (0..40).map(|number| 3 * number).collect();
        let program = one_of(1, &orders, 1, always(2));
        for order in 0..200 {
            let expected = if orders.contains(&order) { 1 } else { 2 };
            assert_eq!(run(&program, 7, [5, order]).0, expected, "order {order}");
        }
    }
}
