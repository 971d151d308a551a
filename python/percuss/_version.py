"""The version of the package; the library must have the same major and minor number."""

VERSION = "0.1.0"
