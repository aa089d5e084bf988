const MAX_CHARACTERS = 2048;

/**
 * A distinguished name in a form that is the same for all spellings: lower case, no blanks around its parts, and
 * escapes replaced by their characters (RFC 4514). `''` for one that is too long.
 */
export function comparableName(dn: string): string {
  if (dn.length > MAX_CHARACTERS) return '';
  const parts = unescaped(dn).map((part) => (part.isSeparator ? part.text.trim() : escaped(part.text)));
  return parts.join('').toLowerCase().normalize('NFC');
}

interface Part {
  readonly text: string;
  /** Whether the part is an unescaped separator: `,`, `+` or `=`, with blanks around. */
  readonly isSeparator: boolean;
}

/** Values and separators of a name, with escapes decoded. */
function unescaped(dn: string): Part[] {
  const parts: Part[] = [];
  let value: Buffer[] = [];
  const end = (separator: string): void => {
    const text = Buffer.concat(value).toString('utf8');
    parts.push({ text, isSeparator: false }, { text: separator, isSeparator: true });
    value = [];
  };
  for (const [token] of dn.matchAll(/\\[0-9a-fA-F]{2}|\\.| *[,;+=] *|[^\\]/gsu)) {
    if (/^\\[0-9a-fA-F]{2}$/.test(token)) value.push(Buffer.from(token.slice(1), 'hex'));
    else if (token.startsWith('\\')) value.push(Buffer.from(token.slice(1)));
    else if (/^ *[,;+=] *$/.test(token)) end(token);
    else value.push(Buffer.from(token));
  }
  end('');
  return parts;
}

const escaped = (text: string): string => text.trim().replace(/[\\,;+="<>#]/g, '\\$&');
