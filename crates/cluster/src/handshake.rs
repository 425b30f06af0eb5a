//! How processes connect, and make sure that they are of one run.
//!
//! Every process listens on its own address of the list, and nowhere else, and connects to those before it. Both sides prove that they know
//! the run's secret, which lies in the shared folder for its owner's eyes only, without sending it: each sends a number that was never used
//! before, and the other answers with a code over both numbers that only the secret makes (HMAC-SHA-256, RFC 2104). All messages have a
//! fixed size, and whoever is not done in time is refused, so that somebody else who connects costs little and learns nothing. What is sent
//! afterwards is not encrypted.

use crate::{Refusal, Trouble};
use sha2::{Digest, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::{Duration, Instant};

const MAGIC: &[u8; 16] = b"plimsoll-cluste1";
const SECRET: &str = "secret";
/// How long a handshake may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait before another attempt.
const PAUSE: Duration = Duration::from_millis(50);
/// Handshakes at a time.
const AT_ONCE: usize = 64;

/// What the processes of a run know and nobody else does.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; 32]);

impl Secret {
    /// The secret of a folder, which is made if there is none.
    pub fn of_folder(folder: &Path) -> Result<Secret, Refusal> {
        let path = folder.join(SECRET);
        if !path.exists() {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let new = folder.join("secret.new");
            let _ = fs::remove_file(&new);
            let write = || {
                options.open(&new)?.write_all(hex(&random::<32>()?).as_bytes())?;
                fs::rename(&new, &path)
            };
            write().map_err(|error| Trouble::of(&path, error))?;
        }
        Secret::read(&path)
    }

    /// The secret that the first process makes.
    pub fn wait_for(folder: &Path, until: Instant) -> Result<Secret, Refusal> {
        let path = folder.join(SECRET);
        while !path.exists() {
            if Instant::now() > until {
                let what = "the first process has not begun there, or this is another folder";
                return Err(Refusal(format!("`{}` does not come: {what}", path.display())));
            }
            sleep(PAUSE);
        }
        Secret::read(&path)
    }

    fn read(path: &Path) -> Result<Secret, Refusal> {
        let text = fs::read_to_string(path).map_err(|error| Trouble::of(path, error))?;
        let text = text.trim();
        let byte = |place: usize| {
            text.get(2 * place..2 * place + 2).and_then(|two| u8::from_str_radix(two, 16).ok())
        };
        let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
        let bytes = bytes.filter(|_| text.len() == 64).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Secret).ok_or_else(|| Refusal(format!("`{}` is no secret", path.display())))
    }

    /// A code over a message that only the secret makes.
    fn code(&self, parts: &[&[u8]]) -> [u8; 32] {
        let keyed = |pad: u8| {
            let mut hash = Sha256::new();
            let mut block = [pad; 64];
            block.iter_mut().zip(&self.0).for_each(|(byte, key)| *byte ^= key);
            hash.update(block);
            hash
        };
        let mut inner = keyed(0x36);
        parts.iter().for_each(|part| inner.update(part));
        let mut outer = keyed(0x5C);
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes that nobody can guess, from the operating system.
fn random<const BYTES: usize>() -> io::Result<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes)
}

/// Looks at all bytes, whatever the first difference is.
fn is_same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

/// What a process brings along to a handshake.
pub struct Handshake<'h> {
    /// Addresses of all.
    pub hosts: &'h [String],
    /// Which of them it is.
    pub index: usize,
    /// The run's secret.
    pub secret: &'h Secret,
    /// What all must agree on: the model, the question, the hosts.
    pub context: &'h str,
    /// When it gives up.
    pub until: Instant,
    /// Hears of those that were refused.
    pub tell: &'h (dyn Fn(&str) + Sync),
    /// Whether somebody wants it to stop.
    pub is_cancelled: &'h (dyn Fn() -> bool + Sync),
}

/// Connections to all others, in their order.
#[derive(Debug)]
pub struct Joined {
    /// Without one to itself.
    pub sockets: Vec<Option<TcpStream>>,
    /// Which generation they are.
    pub generation: u32,
}

/// Why somebody was refused.
enum Refused {
    /// It is none of us.
    Stranger(String),
    /// It did not answer, or not yet.
    Silent(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Refused {
        Refused::Silent(error)
    }
}

/// The first message: what it is, who it is, how many there are, a number used once, a hash of the context.
const HELLO: usize = 16 + 4 + 4 + 16 + 32;
/// The answer: what it is, a number used once, a hash of the context, a code.
const ANSWER: usize = 16 + 16 + 32 + 32;
/// The last message: the generation, and a code.
const WELCOME: usize = 4 + 32;

impl Handshake<'_> {
    /// Connects to all others. The first process knows the generation and tells it to the others.
    pub fn join(&self, generation: Option<u32>) -> Result<Joined, Refusal> {
        let listener = self.listen()?;
        let mut sockets: Vec<Option<TcpStream>> = self.hosts.iter().map(|_| None).collect();
        let mut known = generation;
        // Those before it first: they know the generation.
        for (index, place) in sockets.iter_mut().enumerate().take(self.index) {
            let (socket, told) = self.connect(index)?;
            *place = Some(socket);
            if *known.get_or_insert(told) != told {
                return Err(Refusal(format!(
                    "process {index} ({}) is of another generation",
                    self.hosts[index]
                )));
            }
        }
        let generation = known.unwrap_or(0);
        self.accept(&listener, generation, &mut sockets)?;
        for socket in sockets.iter().flatten() {
            prepare(socket).map_err(|error| Refusal(format!("the network: {error}")))?;
        }
        Ok(Joined { sockets, generation })
    }

    fn listen(&self) -> Result<TcpListener, Refusal> {
        let address = &self.hosts[self.index];
        let no = |error: io::Error| Refusal(format!("cannot listen on {address}: {error}"));
        // Where machines come and go, their names are known a little later than they are.
        let own: Vec<SocketAddr> = loop {
            match address.to_socket_addrs() {
                Ok(own) => break own.collect(),
                Err(error) if self.is_over() => return Err(no(error)),
                Err(_) => sleep(PAUSE),
            }
        };
        let listener = TcpListener::bind(&own[..]).map_err(no)?;
        listener.set_nonblocking(true).map_err(no)?;
        Ok(listener)
    }

    fn is_over(&self) -> bool {
        Instant::now() > self.until || (self.is_cancelled)()
    }

    fn connect(&self, index: usize) -> Result<(TcpStream, u32), Refusal> {
        let host = &self.hosts[index];
        loop {
            let attempt = self.address(host).map(|stream| (self.introduce(&stream, index), stream));
            let why = match attempt {
                Ok((Ok(generation), stream)) => return Ok((stream, generation)),
                Ok((Err(Refused::Stranger(why)), _)) => {
                    return Err(Refusal(format!("process {index} ({host}): {why}")));
                }
                Ok((Err(Refused::Silent(error)), _)) | Err(error) => error,
            };
            if self.is_over() {
                return Err(Refusal(format!("process {index} ({host}) does not answer: {why}")));
            }
            sleep(PAUSE);
        }
    }

    fn address(&self, host: &str) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "there is no such address");
        for address in host.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                // Where nobody listens yet, a connection can come to be with itself, if it is given that very port.
                Ok(stream) if stream.local_addr()? == stream.peer_addr()? => {
                    last = io::Error::new(io::ErrorKind::ConnectionRefused, "nobody listens there yet");
                }
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Those that connect, until all are there.
    fn accept(
        &self,
        listener: &TcpListener,
        generation: u32,
        sockets: &mut [Option<TcpStream>],
    ) -> Result<(), Refusal> {
        let (sender, receiver) = channel();
        std::thread::scope(|scope| {
            let mut under_way = 0;
            loop {
                let missing: Vec<usize> =
                    (self.index + 1..sockets.len()).filter(|&index| sockets[index].is_none()).collect();
                // Whoever was let in is heard to the end: that it was refused is worth a word, and the threads are waited for anyway.
                if missing.is_empty() && under_way == 0 {
                    return Ok(());
                }
                if let Some(first) = missing.first()
                    && self.is_over()
                {
                    let host = &self.hosts[*first];
                    let others = match missing.len() - 1 {
                        0 => String::new(),
                        others => format!(", nor did {others} more"),
                    };
                    return Err(Refusal(format!("process {first} ({host}) did not come{others}")));
                }
                if under_way < AT_ONCE
                    && !missing.is_empty()
                    && let Ok((stream, address)) = listener.accept()
                {
                    let sender = sender.clone();
                    under_way += 1;
                    scope.spawn(move || {
                        let welcomed = self.welcome(&stream, generation);
                        let _ = sender.send((stream, address, welcomed));
                    });
                    continue;
                }
                let Ok((stream, address, welcomed)) = receiver.recv_timeout(PAUSE) else { continue };
                under_way -= 1;
                match welcomed {
                    Ok(index) if sockets[index].is_none() => sockets[index] = Some(stream),
                    Ok(index) => {
                        (self.tell)(&format!("{address} was refused: process {index} is there already"))
                    }
                    Err(Refused::Stranger(why)) => (self.tell)(&format!("{address} was refused: {why}")),
                    Err(Refused::Silent(error)) => (self.tell)(&format!("{address} was refused: {error}")),
                }
            }
        })
    }

    fn context_hash(&self) -> [u8; 32] {
        Sha256::digest(self.context.as_bytes()).into()
    }

    /// The side that connects; the generation.
    fn introduce(&self, mut stream: &TcpStream, peer: usize) -> Result<u32, Refused> {
        limit(stream)?;
        let mut hello = MAGIC.to_vec();
        hello.extend((self.index as u32).to_le_bytes());
        hello.extend((self.hosts.len() as u32).to_le_bytes());
        hello.extend(random::<16>()?);
        hello.extend(self.context_hash());
        stream.write_all(&hello)?;
        let answer: [u8; ANSWER] = read(stream)?;
        if &answer[..16] != MAGIC {
            return Err(Refused::Stranger("it is no process of a search".to_string()));
        }
        let code =
            self.secret.code(&[b"answer", &hello, &(peer as u32).to_le_bytes(), &answer[..ANSWER - 32]]);
        if !is_same(&code, &last_32(&answer)) {
            return Err(Refused::Stranger("it does not know this run's secret".to_string()));
        }
        if answer[32..64] != self.context_hash() {
            return Err(Refused::Stranger(OTHER_CONTEXT.to_string()));
        }
        stream.write_all(&self.secret.code(&[b"proof", &hello, &answer]))?;
        let welcome: [u8; WELCOME] = read(stream)?;
        let code = self.secret.code(&[b"welcome", &hello, &answer, &welcome[..4]]);
        match is_same(&code, &last_32(&welcome)) {
            true => Ok(u32::from_le_bytes([welcome[0], welcome[1], welcome[2], welcome[3]])),
            false => Err(Refused::Stranger("it does not know this run's secret".to_string())),
        }
    }

    /// The side that was connected to; who it is.
    fn welcome(&self, mut stream: &TcpStream, generation: u32) -> Result<usize, Refused> {
        let stranger = |why: &str| Refused::Stranger(why.to_string());
        stream.set_nonblocking(false)?;
        limit(stream)?;
        let hello: [u8; HELLO] = read(stream)?;
        if &hello[..16] != MAGIC {
            return Err(stranger("it is no process of a search"));
        }
        let number = |at: usize| u32::from_le_bytes([hello[at], hello[at + 1], hello[at + 2], hello[at + 3]]);
        let mut answer = MAGIC.to_vec();
        answer.extend(random::<16>()?);
        answer.extend(self.context_hash());
        let own = (self.index as u32).to_le_bytes();
        answer.extend(self.secret.code(&[b"answer", &hello, &own, &answer]));
        stream.write_all(&answer)?;
        let proof: [u8; 32] =
            read(stream).map_err(|_| stranger("it did not prove that it knows this run's secret"))?;
        if !is_same(&proof, &self.secret.code(&[b"proof", &hello, &answer])) {
            return Err(stranger("it does not know this run's secret"));
        }
        if hello[40..72] != self.context_hash() || number(20) as usize != self.hosts.len() {
            return Err(stranger(OTHER_CONTEXT));
        }
        let index = number(16) as usize;
        if index <= self.index || index >= self.hosts.len() {
            return Err(stranger("it is none of those that were expected"));
        }
        let told = generation.to_le_bytes();
        let mut welcome = told.to_vec();
        welcome.extend(self.secret.code(&[b"welcome", &hello, &answer, &told]));
        stream.write_all(&welcome)?;
        Ok(index)
    }
}

const OTHER_CONTEXT: &str = "it searches another model, asks something else, or has other hosts";

fn last_32(bytes: &[u8]) -> [u8; 32] {
    let mut last = [0; 32];
    last.copy_from_slice(&bytes[bytes.len() - 32..]);
    last
}

fn limit(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))
}

fn read<const LENGTH: usize>(mut stream: &TcpStream) -> io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// From now on it waits as long as it takes, unless the other side is gone without a word: then the system says so after a while.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    stream.set_nodelay(true)?;
    #[cfg(unix)]
    {
        use rustix::net::sockopt;
        sockopt::set_socket_keepalive(stream, true)?;
        sockopt::set_tcp_keepidle(stream, Duration::from_secs(10))?;
        sockopt::set_tcp_keepintvl(stream, Duration::from_secs(5))?;
        sockopt::set_tcp_keepcnt(stream, 3)?;
        #[cfg(target_os = "linux")]
        sockopt::set_tcp_user_timeout(stream, 25_000)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::of_this_machine;
    use std::sync::Mutex;

    fn secret(byte: u8) -> Secret {
        Secret([byte; 32])
    }

    fn join(
        hosts: &[String],
        index: usize,
        secret: &Secret,
        context: &str,
        seconds: f64,
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<Joined, Refusal> {
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        let handshake = Handshake { hosts, index, secret, context, until, tell, is_cancelled: &|| false };
        handshake.join((index == 0).then_some(7))
    }

    #[test]
    fn processes_that_know_the_secret_find_each_other_in_any_order() {
        let hosts = of_this_machine(4).expect("addresses");
        std::thread::scope(|scope| {
            let processes: Vec<_> = [2, 0, 3, 1]
                .into_iter()
                .map(|index| {
                    let hosts = &hosts;
                    scope.spawn(move || join(hosts, index, &secret(1), "context", 20.0, &|_| {}))
                })
                .collect();
            for process in processes {
                let joined = process.join().expect("no panic").expect("all are there");
                assert_eq!(joined.generation, 7);
                assert_eq!(joined.sockets.iter().flatten().count(), 3);
            }
        });
    }

    #[test]
    fn strangers_are_refused_and_named_and_the_others_find_each_other_all_the_same() {
        let hosts = of_this_machine(2).expect("addresses");
        let told = Mutex::new(Vec::new());
        let tell = |text: &str| told.lock().expect("a lock").push(text.to_string());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| join(&hosts, 0, &secret(1), "context", 30.0, &tell));
            let wrong_key = scope.spawn(|| join(&hosts, 1, &secret(2), "context", 20.0, &|_| {}));
            let wrong_key = wrong_key.join().expect("no panic").expect_err("another key");
            assert!(wrong_key.0.ends_with("it does not know this run's secret"), "{wrong_key:?}");
            let other =
                join(&hosts, 1, &secret(1), "another model", 20.0, &|_| {}).expect_err("another model");
            assert!(other.0.ends_with(OTHER_CONTEXT), "{other:?}");
            let mut garbled = TcpStream::connect(&hosts[0]).expect("it listens");
            garbled.write_all(&[b'x'; HELLO]).expect("sent");
            let mut cut = TcpStream::connect(&hosts[0]).expect("it listens");
            cut.write_all(&MAGIC[..9]).expect("sent");
            drop(cut);
            join(&hosts, 1, &secret(1), "context", 20.0, &|_| {}).expect("it belongs there");
            first.join().expect("no panic").expect("the other one is there");
        });
        let told = told.into_inner().expect("a lock");
        let is_told =
            |what: &str| told.iter().any(|line| line.starts_with("127.0.0.1:") && line.contains(what));
        assert!(is_told("it is no process of a search"), "{told:?}");
        assert!(is_told("it did not prove that it knows this run's secret"), "{told:?}");
    }

    #[test]
    fn whoever_does_not_come_is_named() {
        let hosts = of_this_machine(3).expect("addresses");
        let late = join(&hosts, 0, &secret(1), "context", 0.2, &|_| {}).expect_err("nobody is there");
        assert_eq!(late.0, format!("process 1 ({}) did not come, nor did 1 more", hosts[1]));
        let early = join(&hosts, 2, &secret(1), "context", 0.2, &|_| {}).expect_err("nobody is there");
        assert!(early.0.starts_with(&format!("process 0 ({}) does not answer: ", hosts[0])), "{early:?}");
    }

    #[test]
    fn the_secret_of_a_folder_is_the_same_for_all_and_nobody_elses() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Secret::of_folder(folder.path()).expect("a secret");
        let again = Secret::wait_for(folder.path(), Instant::now()).expect("a secret");
        assert!(first == again);
        let other = tempfile::tempdir().expect("a folder");
        assert!(first != Secret::of_folder(other.path()).expect("a secret"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(folder.path().join(SECRET)).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
