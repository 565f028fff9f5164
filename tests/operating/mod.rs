//! What an operator meets: who may read what a server makes, what signals do, and starts that are refused.

mod denied;
mod owner_only;
mod refused_starts;
mod signals;
