//! Settings in layers: options over a league file, over a resumed tournament.

/// Implements `over` for the settings of one layer. Lower layers can set its `values` and its `flags`, and only
/// options have the fields in `typed`.
macro_rules! layered {
    ($settings:ident: values $($value:ident),*; flags $($flag:ident),*; typed $($typed:ident),*) => {
        impl $settings {
            /// Returns these settings, with missing ones filled in from a lower layer.
            pub(crate) fn over(self, lower: $settings) -> $settings {
                $settings {
                    $($value: self.$value.or(lower.$value),)*
                    $($flag: self.$flag || lower.$flag,)*
                    $($typed: self.$typed,)*
                }
            }
        }
    };
}

pub(crate) use layered;
