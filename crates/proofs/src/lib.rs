//! Static proofs of boundedness and progress.
