export const FIREFOX = process.env['FIREFOX'] ?? '/usr/bin/firefox-esr'
