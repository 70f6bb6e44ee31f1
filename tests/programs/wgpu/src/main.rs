//! Squares numbers a few times, on another device where one is lost, with less where there is no memory for so many.

use lahar_wgpu::{Client, Failure, squares};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("failed: {failure:?}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut client = Client::new()?;
    let (mut words, mut tries) = (1 << 16, 0);
    let mut done = 0;
    while done < 4 {
        match client.square(words) {
            Ok(numbers) if numbers == squares(words) => done += 1,
            Ok(_) => return Err(Failure::Other("the numbers are wrong".to_owned())),
            Err(Failure::Lost(why)) if tries < 3 => {
                eprintln!("lost, another device is made: {why}");
                (client, tries) = (Client::new()?, tries + 1);
            }
            Err(Failure::Memory(why)) if tries < 3 => {
                eprintln!("no memory, half of it is tried: {why}");
                (words, tries) = (words / 2, tries + 1);
            }
            Err(failure) => return Err(failure),
        }
    }
    println!("{done} jobs of up to {words} numbers, {tries} of them tried again");
    Ok(())
}
