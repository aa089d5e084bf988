const SCRIPTS = [
  'Zürich Straße',
  'naïve façade',
  'Ελλάδα',
  'Привет мир',
  'Україна їжа',
  'مرحبا',
  'שלום עולם',
  'नमस्ते',
  'বাংলা',
  'தமிழ்',
  'ภาษาไทย',
  'ქართული',
  'Հայերեն',
  '中文文件',
  '日本語のファイル',
  '한국어 파일',
  'Tiếng Việt',
  'Íslenska þæö',
  'emoji 😀 🎉',
  'family 👨‍👩‍👧',
  'percent 100% %20 %2F',
  'plus+and&equals=',
  "quote's (round) [square] {curly}",
  'hash #1 at@home',
  'semi;colon, comma',
  'tilde~caret^back`tick',
  'dollar$ excl!',
  'dots...inside',
  'ꦗꦮ Jawa',
  '  spaces  inside',
];
const KINDS = ['', ' 2', '-copy', '_v1', ' final', ' (1)', '.old', ' x', '9', ' z'];

/** 300 file names in many scripts, in composed Unicode form as on most systems. */
export const MANY_NAMES: readonly string[] = SCRIPTS.flatMap((word) =>
  KINDS.map((kind) => `${word}${kind}.txt`.trimStart().normalize('NFC')),
);
