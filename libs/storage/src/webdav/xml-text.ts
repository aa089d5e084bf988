// XML 1.0 has no way to write these, not even as character references.
// eslint-disable-next-line no-control-regex -- they are what is removed
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const SPECIAL = /[&<>"]/g;
/** Nearly every text: nothing to escape or to leave out. */
const PLAIN = /^[\t\n\r !#-%'-;=?-\ufffd]*$/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Whether XML 1.0 can hold the text. */
export function isXmlText(text: string): boolean {
  return text.search(FORBIDDEN) < 0;
}

/** Text as it stands inside an element or an attribute; characters that XML cannot hold are left out. */
export function escapeXml(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(FORBIDDEN, '').replace(SPECIAL, (character) => ENTITIES[character]!);
}
