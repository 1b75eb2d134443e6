/** Returns the code points from `first` to `last`, each as a text. */
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n))

/** Returns the words of a text. */
const words = (text: string) => text.split(' ')

const outside = [...range(0x200b, 0x200f), ...range(0x2028, 0x202e)]
const invisible = [...outside, ...range(0x2060, 0x2064), ...range(0x2066, 0x2069)]
const spaces = ['\u00a0', '\u1680', ...range(0x2000, 0x200a), '\u202f', '\u205f', '\u3000', '\ufeff']

/** Texts that break programs, by the cause. The server must store each of them unchanged. */
export const NAUGHTY: Record<string, string[]> = {
  'reserved words': [
    ...words('undefined null NULL (null) nil None true false hasOwnProperty __proto__ constructor then'),
    ...['toString', '[object Object]'],
  ],
  numbers: [
    '0',
    '-0',
    '1.00',
    '1e999',
    '-1',
    '0x0',
    '0b1',
    '1/2',
    'NaN',
    'Infinity',
    '-Infinity',
    '1,000',
    '٠١٢',
    '9007199254740993',
    '1'.repeat(100),
    '0..1',
    '2.2250738585072011e-308',
  ],
  punctuation: [...'!@#$%^&*()_+-=[]{};:\'"|<>,?`~', `!@#$%^&*()\`~`, `<>?:"{}|_+`, `,.;'[]-=`],
  'symbols and letters beyond ASCII': [
    ...words('⅛⅜⅝⅞ ЁЂЃЄ ⁰⁴⁵₀₁₂ 田中さんにあげて下さい 사회과학원 表ポあA鷗 Ⱥ ıİſK ß ﬀﬁ ǅ'),
    ...['Ω≈ç√∫˜µ≤≥÷', 'åß∂ƒ©˙∆˚¬…æ', '¡™£¢∞§¶•ªº–≠', 'ด้้้้้็็็็็', '𐐜 𐐔𐐇'],
  ],
  emoji: ['😍', '👩🏽', '👨‍🦰', '🏳0🌈️', '👾 🙇 💁', '🇺🇸🇷🇺🇸', '0️⃣1️⃣', '(｡◕ ∀ ◕｡)', '¯\u02c9(ツ)'],
  'white space': ['a b', '  both ends  ', ...spaces.map((space) => `a${space}b`)],
  'invisible and turning characters': invisible.map((character) => `a${character}b`),
  'right to left': ['הָיְתָה', 'ﷺ', 'مُنَاقَشَةُ', 'test \u202etest\u202c', 'gpj.\u202eexe'],
  'combining marks': [`Z${'\u0311\u0347'.repeat(40)}`, 'e\u0301', '\u0301', 'a\u0300\u0301\u0302'],
  'noncharacters and private use': words('\ufffe \uffff \ufffd \ue000 \u{10ffff} \u{1f469}\u200d \ufdd0'),
  'upside down': ['˙ɐnbᴉlɐ', '00˙Ɩ$-', 'ᗺ'],
  'other letters for letters': ['Ｔｈｅ', '𝐓𝐡𝐞', '𝕿𝖍𝖊', '⒯⒣⒠', 'аdmin'],
  'script injection': [
    '<script>alert(0)<script>',
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    'javascript:alert(1)',
    '<svg onload=alert(1)>',
    '<!--#exec cmd="ls"-->',
    '&lt;b&gt;',
    'data:text\u003bbase64,',
    '<a href="javas\u200bcript:x">',
  ],
  'SQL injection': ['1;DROP TABLE users', "' OR 1=1 -- 1", "'; EXEC sp_x; --", '" OR ""="', "''", 'a%b_c'],
  'commands and templates': [
    ...words('$HOME {0} {{7*7}} #{7*7} -rf --help !! $ENV{HOME}'),
    ...[
      '$(touch x)',
      '`touch x`',
      '%d %s %n',
      '%x'.repeat(20),
      '<%= 1 %>',
      '|| ls',
      'System("ls -al")',
      '() { 0; }; touch x',
    ],
  ],
  'XML and formats': [
    ...words('--- !!python =1+1 @SUM(1) +1 ;a,b'),
    ...['<?xml version="1.0"?>', '<!ENTITY xxe SYSTEM "file:">'],
  ],
  'encoded ways out': ['%2e%2e%2f', '..%5c', '%00', '%0d%0aX: y', '%25', '%zz', '..%c0%af', '&#x2f;', '&#0;'],
  'names of systems': [
    ...words('CON PRN AUX NUL COM1 LPT1 con.txt a. a:b desktop.ini Thumbs.db .DS_Store .htaccess .git'),
    ...words('... ..a a~1 core'),
    'a ',
  ],
  'unwanted words inside others': ['Scunthorpe General', 'Penistone', 'Linda Callahan'],
  'texts that displays could not bear': ['Power لُلُصّ冗', '🏳️‍🌈', 'జ్ఞా'],
}

/** Texts that cannot be names. */
export const NO_NAMES: string[] = [
  ...words('. .. / a/b ../a /dev/null http://a/b'),
  '',
  ' ',
  '\u3000',
  '\\',
  'a\\b',
  'C:\\x',
  'a\r\nb',
  ...[...range(0, 31), '\u007f'].map((character) => `a${character}b`),
  '\ud800',
  'a\udfff',
  '\udc00\ud800',
  'x'.repeat(256),
  '🎉'.repeat(64),
  'é'.repeat(128),
]
