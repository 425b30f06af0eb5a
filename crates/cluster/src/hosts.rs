//! Who takes part: a file with an address on each line, and which of them this process is.

use std::io;
use std::net::TcpListener;

/// Environment variables that say which process this is, in the order in which they are asked: our own, that of SLURM (`srun`), and that of
/// an indexed job of Kubernetes.
pub const INDEX_VARIABLES: [&str; 3] = ["PLIMSOLL_INDEX", "SLURM_PROCID", "JOB_COMPLETION_INDEX"];

/// The environment variable that names the file of hosts.
pub const HOSTS_VARIABLE: &str = "PLIMSOLL_HOSTS";

/// Reads a file of hosts: `host:port` on each line; what follows a `#` is a remark.
pub fn parse(text: &str) -> Result<Vec<String>, String> {
    let mut hosts: Vec<String> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let address = line.split('#').next().unwrap_or("").trim();
        if address.is_empty() {
            continue;
        }
        let port = address.rsplit_once(':').and_then(|(host, port)| {
            (!host.is_empty()).then(|| port.parse::<u16>().ok()).flatten().filter(|&port| port > 0)
        });
        if port.is_none() {
            return Err(format!("line {}: `{address}` is no address; write host:port", number + 1));
        }
        if hosts.iter().any(|known| known == address) {
            return Err(format!("line {}: `{address}` is there twice", number + 1));
        }
        hosts.push(address.to_string());
    }
    match hosts.is_empty() {
        true => Err("there is no address in it".to_string()),
        false => Ok(hosts),
    }
}

/// Addresses for so many processes of this machine, which nobody uses at the moment.
pub fn of_this_machine(processes: usize) -> io::Result<Vec<String>> {
    // All at once, so that they differ.
    let listeners: io::Result<Vec<TcpListener>> =
        (0..processes).map(|_| TcpListener::bind(("127.0.0.1", 0))).collect();
    listeners?.iter().map(|listener| listener.local_addr().map(|address| address.to_string())).collect()
}

/// What the environment says which process this is.
pub fn index_of_environment(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    INDEX_VARIABLES.into_iter().find_map(|name| variable(name)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_hosts_has_an_address_on_each_line() {
        let hosts = parse("# two machines\nnode1:4000\n\n[fd00::2]:4001 # the other one\n");
        assert_eq!(hosts, Ok(vec!["node1:4000".to_string(), "[fd00::2]:4001".to_string()]));
        assert_eq!(
            parse("node1:4000\nnode2\n"),
            Err("line 2: `node2` is no address; write host:port".to_string())
        );
        assert!(parse("a:1\na:1\n").is_err() && parse(":5\n").is_err() && parse("a:0\n").is_err());
        assert!(parse("# nobody\n").is_err());
    }

    #[test]
    fn our_own_variable_is_asked_first() {
        let slurm = |name: &str| (name == "SLURM_PROCID").then(|| "3".to_string());
        assert_eq!(index_of_environment(slurm), Some(3));
        let both = |name: &str| match name {
            "PLIMSOLL_INDEX" => Some("1".to_string()),
            "JOB_COMPLETION_INDEX" => Some("2".to_string()),
            _ => None,
        };
        assert_eq!(index_of_environment(both), Some(1));
        assert_eq!(index_of_environment(|_| None), None);
    }
}
