//! States against processor time, both axes logarithmic, as a picture.

use crate::Measured;
use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 480.0;
const MARGIN: f64 = 60.0;

/// A point for each row and program, joined by a line.
pub fn plot(rows: &[Measured]) -> String {
    let states = || rows.iter().map(|row| row.ours.states as f64);
    let seconds = || rows.iter().flat_map(|row| [row.ours.seconds, row.spin.seconds]);
    let across = Axis::over(states(), MARGIN, WIDTH - 20.0);
    let up = Axis::over(seconds(), HEIGHT - MARGIN, 20.0);
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for power in across.powers() {
        let x = across.place(10f64.powi(power));
        let _ = writeln!(
            picture,
            "<path d=\"M{x:.1} 20V{:.1}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{power}</tspan></text>",
            HEIGHT - MARGIN,
            HEIGHT - MARGIN + 18.0
        );
    }
    for power in up.powers() {
        let y = up.place(10f64.powi(power));
        let _ = writeln!(
            picture,
            "<path d=\"M{MARGIN} {y:.1}H{:.1}\" stroke=\"#ddd\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - 20.0,
            MARGIN - 6.0,
            y + 4.0,
            10f64.powi(power)
        );
    }
    for row in rows {
        let x = across.place(row.ours.states as f64);
        let (ours, spin) = (up.place(row.ours.seconds), up.place(row.spin.seconds));
        let _ = writeln!(
            picture,
            "<g><title>{}: {:.2} times</title><path d=\"M{x:.1} {ours:.1}V{spin:.1}\" stroke=\"#bbb\"/>\
             <circle cx=\"{x:.1}\" cy=\"{spin:.1}\" r=\"4\" fill=\"none\" stroke=\"#c2410c\"/>\
             <circle cx=\"{x:.1}\" cy=\"{ours:.1}\" r=\"4\" fill=\"#1d4ed8\"/></g>",
            row.row.name,
            row.ratio()
        );
    }
    let _ = writeln!(
        picture,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">states</text>\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">seconds of processor time</text>\
         <circle cx=\"90\" cy=\"34\" r=\"4\" fill=\"none\" stroke=\"#c2410c\"/><text x=\"100\" y=\"38\">SPIN's pan</text>\
         <circle cx=\"180\" cy=\"34\" r=\"4\" fill=\"#1d4ed8\"/><text x=\"190\" y=\"38\">Plimsoll, one thread</text>\n</svg>",
        WIDTH / 2.0,
        HEIGHT - 12.0,
        HEIGHT / 2.0
    );
    picture
}

/// A logarithmic axis.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let logarithms = values.map(|value| value.max(1e-3).log10());
        let least = logarithms.clone().fold(f64::INFINITY, f64::min).floor();
        let most = logarithms.fold(f64::NEG_INFINITY, f64::max).ceil();
        Axis { least, most: most.max(least + 1.0), from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = (value.max(1e-3).log10() - self.least) / (self.most - self.least);
        self.from + share * (self.to - self.from)
    }

    fn powers(&self) -> std::ops::RangeInclusive<i32> {
        self.least as i32..=self.most as i32
    }
}
