//! Seccomp: the system calls that a bot may make. The filter covers the gaps that the other layers leave open, and
//! stands in for missing layers. The decision for each call is in `table.rs`. A call without a row does not exist for a
//! bot.

mod arguments;
mod dispatch;
mod table;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

pub(super) use arguments::Around;
use arguments::Ruling;
use dispatch::Part;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch, apply_filter};
use table::{DECISIONS, Decision};

/// The number of instructions that look at the processor.
const PROCESSOR_CHECK: usize = 3;

/// The programs for the usual case, without and with the network. They are the same for all bots, so a process that starts
/// many bots makes them once.
static PREPARED: LazyLock<[Option<BpfProgram>; 2]> =
    LazyLock::new(|| [false, true].map(|network| program(Around::usual(network))));

/// Makes the programs in advance that do not depend on the bot.
pub(super) fn prepare() {
    LazyLock::force(&PREPARED);
}

/// Returns true if the filter refuses the call of this name whatever its arguments are, and programs need it.
pub(crate) fn closes(call: &str) -> bool {
    let number = call.parse::<syscalls::Sysno>().ok().and_then(|call| u32::try_from(call.id()).ok());
    let decision = number.and_then(|number| DECISIONS.get(&number));
    matches!(decision, Some(Decision::Unknown | Decision::Refused))
}

/// Returns true if this system can apply the filter.
pub(super) fn is_known() -> bool {
    PREPARED[0].is_some() && Path::new("/proc/sys/kernel/seccomp").exists()
}

/// Applies the filter to this process for good. Returns false if this system cannot.
pub(super) fn apply(around: Around) -> bool {
    let is_applied = |program: &BpfProgram| apply_filter(program).is_ok();
    match around == Around::usual(around.network) {
        true => PREPARED[usize::from(around.network)].as_ref().is_some_and(is_applied),
        false => program(around).is_some_and(|it| is_applied(&it)),
    }
}

/// Returns one program for the kernel, or `None` if this processor is unknown. A call without a row in the table does
/// not exist, nor do the calls by the numbers of x32, a second set of the same calls.
fn program(around: Around) -> Option<BpfProgram> {
    let mut rulings = arguments::rulings(around)?;
    let unknown = dispatch::always(action(Decision::Unknown.errno()).into());
    let mut parts = vec![Part { first: 0, program: unknown.clone() }];
    for (&first, &decision) in &*DECISIONS {
        let program = match decision {
            Decision::ByArgument => by_argument(first, rulings.remove(&first.into())?)?,
            Decision::Marked if around.sets_marks => by_argument(first, arguments::marks(first)?)?,
            _ => dispatch::always(action(decision.errno()).into()),
        };
        parts.pop_if(|part| part.first == first); // consecutive numbers leave no gap
        parts.push(Part { first, program });
        parts.push(Part { first: first + 1, program: unknown.clone() });
    }
    parts.dedup_by(|next, part| next.program == part.program);
    let mut program = processor_check()?;
    program.append(&mut dispatch::join(&parts));
    Some(program)
}

/// Returns the action for the kernel: to execute the call, or to answer with this error number.
fn action(errno: Option<i32>) -> SeccompAction {
    errno.map_or(SeccompAction::Allow, |errno| SeccompAction::Errno(errno.unsigned_abs()))
}

fn by_argument(call: u32, ruling: Ruling) -> Option<BpfProgram> {
    let (allow, refuse) = (SeccompAction::Allow, action(Decision::Refused.errno()));
    match ruling {
        Ruling::Allowed => Some(dispatch::always(allow.into())),
        Ruling::Refused => Some(dispatch::always(refuse.into())),
        Ruling::RefusedIf(rules) => chosen(call, rules, refuse, allow),
        Ruling::Listed { argument, orders, pretended, or_if, errno } => {
            let mut otherwise = match or_if.is_empty() {
                true => dispatch::always(action(Some(errno)).into()),
                false => chosen(call, or_if, allow.clone(), action(Some(errno)))?,
            };
            if !pretended.is_empty() {
                let done = action(Decision::Pretended.errno());
                otherwise = dispatch::one_of(argument, pretended, done.into(), otherwise);
            }
            Some(dispatch::one_of(argument, &orders, allow.into(), otherwise))
        }
        Ruling::AllowedIf(rules, errno) => chosen(call, rules, allow, action(Some(errno))),
    }
}

/// Returns a program with one action if any of the rules matches, and another if none does.
fn chosen(
    call: u32,
    rules: Vec<SeccompRule>,
    matched: SeccompAction,
    otherwise: SeccompAction,
) -> Option<BpfProgram> {
    let rules = BTreeMap::from([(call.into(), rules)]);
    SeccompFilter::new(rules, otherwise, matched, processor()?).ok()?.try_into().ok()
}

fn processor() -> Option<TargetArch> {
    TargetArch::try_from(std::env::consts::ARCH).ok()
}

/// Returns the instructions with which every program of the crate begins. They kill a program that makes calls as
/// another processor would.
fn processor_check() -> Option<BpfProgram> {
    let nothing =
        SeccompFilter::new(BTreeMap::new(), SeccompAction::Allow, SeccompAction::Trap, processor()?);
    let mut program = BpfProgram::try_from(nothing.ok()?).ok()?;
    program.truncate(PROCESSOR_CHECK);
    Some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first number of x32.
    const X32: u32 = 0x4000_0000;

    /// Returns all four cases: without and with the network, in a namespace or not.
    fn each() -> impl Iterator<Item = Around> {
        let cases = [(false, false), (false, true), (true, false), (true, true)].into_iter();
        cases.map(|(network, in_pid_namespace)| Around { in_pid_namespace, ..Around::usual(network) })
    }

    #[test]
    fn whatever_is_not_in_the_table_does_not_exist() {
        let last = *DECISIONS.keys().next_back().expect("there are some");
        for around in each() {
            let program = program(around).expect("this processor is known");
            let search = &program[PROCESSOR_CHECK..];
            for call in (0..2 * last).chain([1_000_000, X32, X32 + 39, u32::MAX]) {
                let decision = DECISIONS.get(&call).copied().unwrap_or(Decision::Unknown);
                if decision != Decision::ByArgument {
                    let expected = u32::from(action(decision.errno()));
                    assert_eq!(dispatch::tests::run(search, call, [0, 0]).0, expected, "call {call}");
                }
            }
        }
    }

    #[test]
    fn orders_that_nobody_needs_are_none() {
        let number = |call: i64| u32::try_from(call).expect("numbers of calls are small");
        for around in each() {
            let program = program(around).expect("this processor is known");
            let run = |call, arguments| {
                dispatch::tests::run(&program[PROCESSOR_CHECK..], number(call), arguments).0
            };
            let allowed = u32::from(SeccompAction::Allow);
            for (call, argument, needed, harmful) in [
                (libc::SYS_ioctl, 1, 0x5401, 0x5412),       // TCGETS, TIOCSTI
                (libc::SYS_ioctl, 1, 0x541b, 0x4008_6602),  // FIONREAD, FS_IOC_SETFLAGS
                (libc::SYS_fcntl, 1, 4, 1024),              // F_SETFL, F_SETLEASE
                (libc::SYS_fcntl, 1, 1030, 10),             // F_DUPFD_CLOEXEC, F_SETSIG
                (libc::SYS_membarrier, 0, 8, 1),            // PRIVATE_EXPEDITED, GLOBAL
                (libc::SYS_personality, 0, 0, 0x0040_0000), // none, READ_IMPLIES_EXEC
            ] {
                let with = |order| if argument == 0 { [order, 7] } else { [7, order] };
                assert_eq!(run(call, with(needed)), allowed, "{call} {needed}");
                assert_ne!(run(call, with(harmful)), allowed, "{call} {harmful}");
            }
            let named = if around.network { allowed } else { u32::from(action(Some(libc::ENOTTY))) };
            assert_eq!(run(libc::SYS_ioctl, [7, 0x8912]), named); // SIOCGIFCONF
        }
    }

    /// A build in the tests of the arena shows the rule for modes.
    #[test]
    fn times_of_files_are_real_only_for_who_may_set_them() {
        let [allowed, pretended] = [None, Some(0)].map(|errno| u32::from(action(errno)));
        let run = |sets_marks, call: i64| {
            let program =
                program(Around { sets_marks, ..Around::usual(false) }).expect("this processor is known");
            let call = u32::try_from(call).expect("numbers of calls are small");
            dispatch::tests::run(&program[PROCESSOR_CHECK..], call, [7, 0o755]).0
        };
        assert_eq!([false, true].map(|sets| run(sets, libc::SYS_utimensat)), [pretended, allowed]);
        assert_eq!(run(false, libc::SYS_fchmod), pretended);
    }

    #[test]
    fn each_call_with_rules_for_its_arguments_is_marked_so_and_has_them() {
        let marked = DECISIONS.iter().filter(|(_, decision)| **decision == Decision::ByArgument);
        let marked: Vec<i64> = marked.map(|(&call, _)| call.into()).collect();
        for around in each() {
            let rulings = arguments::rulings(around).expect("they can be written");
            assert_eq!(rulings.into_keys().collect::<Vec<_>>(), marked);
        }
    }
}
