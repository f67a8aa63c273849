//! Common parts of a program, as in Go: settings from variables, a health check, and a clean shutdown.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const HEALTH_LIMIT: Duration = Duration::from_secs(2);

/// A program with the defaults of all of its settings, for the command line.
pub struct Program<'a> {
    pub name: &'static str,
    pub defaults: Vec<(&'static str, &'a str)>,
}

/// Texts by the names of their variables.
pub struct Settings(BTreeMap<&'static str, String>);

/// Runs the command line: the exit code is 0, 1 if it is not healthy, 2 for a wrong setting or a port that is taken.
pub fn run(program: &Program, work: impl AsyncFnOnce(Settings, CancellationToken) -> Outcome<()>) -> ExitCode {
    let settings = Settings::of(&program.defaults, |name| env::var(name).ok());
    let arguments: Vec<String> = env::args().skip(1).collect();
    let ended = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => until_told(settings, work),
        ["--settings"] => settings.print(),
        ["--health"] if settings.is_healthy() => Ok(()),
        ["--health"] => return ExitCode::from(1),
        [first, ..] => Err(format!(
            "unknown argument {first:?}: give none to serve until SIGTERM, --settings to print every effective setting as JSON, \
             --health to ask the running program whether it is healthy"
        )
        .into()),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", program.name);
            ExitCode::from(2)
        }
    }
}

fn until_told(settings: Settings, work: impl AsyncFnOnce(Settings, CancellationToken) -> Outcome<()>) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let stop = CancellationToken::new();
        let told = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => (),
                _ = interrupt.recv() => (),
            }
            told.cancel();
        });
        work(settings, stop).await
    });
    // Otherwise it waits for a pending name lookup.
    runtime.shutdown_background();
    ended
}

impl Settings {
    /// The defaults, overridden by what `lookup` finds.
    pub fn of(defaults: &[(&'static str, &str)], lookup: impl Fn(&str) -> Option<String>) -> Self {
        let all = defaults
            .iter()
            .map(|&(name, value)| (name, lookup(name).unwrap_or_else(|| value.to_owned())));
        Self(all.collect())
    }

    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// The whole number of a setting, within limits.
    pub fn number(&self, name: &str, lowest: usize, highest: usize) -> Outcome<usize> {
        match self.text(name).parse() {
            Ok(number) if (lowest..=highest).contains(&number) => Ok(number),
            _ => Err(format!(
                "{name} is {:?}, and must be a number from {lowest} to {highest}",
                self.text(name)
            )
            .into()),
        }
    }

    /// Takes the port that a setting names.
    pub async fn listen(&self, name: &str) -> Outcome<TcpListener> {
        self.number(name, 1, 65_535)?;
        let address = self.address(self.text("HOST"), name);
        TcpListener::bind(&address)
            .await
            .map_err(|error| format!("cannot listen on {address}: {error}; choose another HOST or {name}").into())
    }

    fn address(&self, host: &str, port: &str) -> String {
        let brackets = if host.contains(':') { ("[", "]") } else { ("", "") };
        format!("{}{host}{}:{}", brackets.0, brackets.1, self.text(port))
    }

    fn print(&self) -> Outcome<()> {
        println!("{}", serde_json::to_string(&self.0)?);
        Ok(())
    }

    fn is_healthy(&self) -> bool {
        let host = match self.text("HOST").parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
            _ => self.text("HOST").to_owned(),
        };
        self.address(&host, "PORT")
            .to_socket_addrs()
            .is_ok_and(|mut all| all.any(|address| TcpStream::connect_timeout(&address, HEALTH_LIMIT).is_ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(all: &[(&'static str, &str)]) -> Settings {
        Settings::of(all, |_| None)
    }

    #[test]
    fn takes_settings_over_their_defaults_and_no_others() {
        let given = |name: &str| (name == "PORT").then(|| "1".to_owned());
        let taken = Settings::of(&[("HOST", "here"), ("PORT", "9")], given);
        assert_eq!(
            serde_json::to_string(&taken.0).unwrap(),
            r#"{"HOST":"here","PORT":"1"}"#
        );
    }

    #[tokio::test]
    async fn names_the_setting_of_a_port_that_it_cannot_take() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = taken.local_addr().unwrap().port().to_string();
        for (value, expected) in [
            (port.as_str(), "choose another HOST or PORT_GRPC"),
            ("0", "1 to 65535"),
            ("x", "PORT_GRPC"),
        ] {
            let settings = settings(&[("HOST", "127.0.0.1"), ("PORT_GRPC", value)]);
            let error = settings.listen("PORT_GRPC").await.unwrap_err().to_string();
            assert!(error.contains(expected), "{value}: {error}");
        }
    }

    #[tokio::test]
    async fn is_healthy_while_its_port_takes_connections() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let settings = settings(&[("HOST", "0.0.0.0"), ("PORT", &port)]);
        assert!(settings.is_healthy());
        drop(listener);
        assert!(!settings.is_healthy());
    }
}
