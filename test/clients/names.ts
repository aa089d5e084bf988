import { isFullForm } from '../../libs/testing/src/full-form';

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
const KINDS = isFullForm
  ? ['', ' 2', '-copy', '_v1', ' final', ' (1)', '.old', ' x', '9', ' z']
  : ['', ' (1)'];

const named = (kinds: readonly string[]): string[] =>
  SCRIPTS.flatMap((word) => kinds.map((kind) => `${word}${kind}.txt`.trimStart().normalize('NFC')));

/** File names in many scripts, in composed Unicode form as on most systems; 300 in the full form. */
export const NAMES: readonly string[] = named(KINDS);
/** One of them for each script. */
export const FEWER_NAMES: readonly string[] = named(['']);
