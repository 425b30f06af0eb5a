//! Every reachable state: all moves of a state ([`expand`]) out of remembered transitions ([`memo`]), breadth first ([`breadth`]) or
//! depth first ([`depth`]), and the way to what was found ([`witness`]).

pub(crate) mod ancestry;
pub(crate) mod batch;
pub(crate) mod memo_cache;
mod memo_tree;
pub(crate) mod repack;
mod visited;

pub(crate) mod breadth;
pub(crate) mod depth;
pub(crate) mod direct;
pub(crate) mod dividing;
pub(crate) mod expand;
pub(crate) mod memo;
pub(crate) mod scout;
pub(crate) mod witness;
