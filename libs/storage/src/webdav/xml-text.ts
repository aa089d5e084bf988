// XML 1.0 cannot contain these characters, not even as character references.
// oxlint-disable-next-line no-control-regex -- the expression removes control characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const SPECIAL = /[&<>"]/g;
/** Matches nearly every text: nothing to escape or to remove. */
const PLAIN = /^[\t\n\r !#-%'-;=?-\ufffd]*$/;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Whether XML 1.0 can contain the text. */
export function isXmlText(text: string): boolean {
  return text.search(FORBIDDEN) < 0;
}

/** Escapes a text for an element or an attribute; characters that XML cannot contain are removed. */
export function escapeXml(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(FORBIDDEN, '').replace(SPECIAL, (character) => ENTITIES[character]!);
}
