//! Work that several threads do together.

/// Calls `work` with every member at the same time, each on a thread of its own; the first is this thread's.
pub fn for_each_member<M: Send, T: Send>(members: &mut [M], work: impl Fn(&mut M) -> T + Sync) -> Vec<T> {
    let Some((first, others)) = members.split_first_mut() else { return Vec::new() };
    if others.is_empty() {
        return vec![work(first)];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = others.iter_mut().map(|member| scope.spawn(move || work(member))).collect();
        let mut results = vec![work(first)];
        for thread in threads {
            match thread.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
