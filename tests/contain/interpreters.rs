//! Interpreters of a distribution find their settings in `/etc` in the sandbox, without options.

use std::fs;
use std::process::{Command, Output};

use crate::program::scratch;

/// An interpreter on each line: its program, and a command after `arena run --` that prints `yes` if it starts, and if it has
/// what its settings give. Those of [`needs::INTERPRETERS`] come first. The folder of the command has the files `Main.java`
/// and `Main.tcl`.
const INTERPRETERS: &str = r#"
java | java Main.java
perl | perl -e 'use Digest::SHA; print "yes"'
php | php -r 'echo extension_loaded("tokenizer") ? "yes" : "no";'
python3 | python3 -c 'import hashlib, ssl; print("yes" if ssl.create_default_context().cert_store_stats()["x509"] or not ssl.get_default_verify_paths().cafile else "no")'
racket | racket -e '(display "yes")'
Rscript | Rscript -e 'cat("yes")'
clojure | clojure -e '(.getInstance java.security.MessageDigest "SHA-256") (print "yes")'
elixir | elixir -e 'IO.write("yes"); :crypto.strong_rand_bytes(4)'
erl | erl -noshell -eval 'crypto:strong_rand_bytes(4), io:put_chars("yes"), halt().'
ghc | ghc -e 'putStr "yes"'
gforth | gforth -e '.( yes) bye'
groovy | groovy -e 'print "yes"'
guile | guile -c '(display "yes")'
julia | julia -e 'print("yes")'
lua | lua -e 'io.write("yes")'
mono | sh -c 'mono --version && echo yes'
mvn | sh -c 'mvn -v && echo yes'
nim | sh -c 'nim --version && echo yes'
node | node -e 'require("crypto").randomBytes(4); process.stdout.write(require("tls").rootCertificates.length ? "yes" : "no")'
ocaml | sh -c 'ocaml -version && echo yes'
octave-cli | octave-cli --eval 'printf("yes")'
ruby | ruby -e 'require "digest"; require "openssl"; OpenSSL::X509::Store.new.set_default_paths; print "yes"'
sbcl | sbcl --noinform --eval '(progn (princ "yes") (quit))'
swipl | swipl -g 'write(yes)' -t halt
tclsh | tclsh Main.tcl
uv | uv run --no-project --offline python3 -c 'print("yes")'
"#;

/// A program for Java that needs the settings of its security.
const JAVA: &str = r#"public class Main { public static void main(String[] a) throws Exception {
    java.security.MessageDigest.getInstance("SHA-256"); new java.security.SecureRandom().nextInt(); System.out.print("yes"); } }"#;

#[test]
fn interpreters_find_their_settings() {
    needs::INTERPRETERS.is_met(); // says which are missing
    let folder = scratch();
    fs::write(folder.path().join("Main.java"), JAVA).expect("a program");
    fs::write(folder.path().join("Main.tcl"), "puts -nonewline yes").expect("a program");
    let run =
        |mut command: Command| -> Output { command.current_dir(folder.path()).output().expect("it starts") };
    let says_yes = |output: &Output| String::from_utf8_lossy(&output.stdout).contains("yes");
    let mut failed = Vec::new();
    let rows = INTERPRETERS.trim().lines().map(|line| line.split_once(" | ").expect("two columns"));
    let there = rows.filter(|(program, _)| needs::programs(&[program]).is_ok());
    for (program, command) in there.take(needs::sized(6, usize::MAX, usize::MAX)) {
        let words = shell_words::split(command).expect("words of a shell");
        let mut by_hand = Command::new(&words[0]);
        by_hand.args(&words[1..]).env("JAVA_TOOL_OPTIONS", needs::JAVA_WITHOUT_FILES);
        if !needs::is_ci() && !says_yes(&run(by_hand)) {
            continue; // it does not work here
        }
        let mut contained = crate::program::command();
        contained.arg("run").arg("--").args(&words);
        let output = run(contained);
        if !says_yes(&output) {
            failed.push(format!("{program}: {output:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
