/** One attribute of a share, such as `{scope: 'permissions', key: 'download', enabled: true}`. */
export interface ShareAttribute {
  readonly scope: string;
  readonly key: string;
  readonly enabled: boolean | string;
}

const MAX_ATTRIBUTES = 100;
const MAX_TEXT = 255;

/** The scope in which older clients wrote permissions as attributes. */
const PERMISSION_SCOPE = 'ownCloud';
const PERMISSION_BITS: Record<string, number> = { read: 1, update: 2, create: 4, delete: 8, share: 16 };

/** Reads what a form or JSON body holds under `attributes`; items without scope and key are left out. */
export function parseAttributes(raw: unknown): ShareAttribute[] {
  if (typeof raw !== 'object' || raw === null) return [];
  return Object.values(raw).slice(0, MAX_ATTRIBUTES).flatMap(parseAttribute);
}

function parseAttribute(raw: unknown): ShareAttribute[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const { scope, key, enabled, value } = raw as Record<string, unknown>;
  if (!isName(scope) || !isName(key)) return [];
  return [{ scope, key, enabled: enabled === undefined ? parseEnabled(value) : decodeEnabled(enabled) }];
}

const isName = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= MAX_TEXT;

/** `enabled` is a boolean, or its JSON text in a form. */
function decodeEnabled(raw: unknown): boolean {
  return raw === true || raw === 'true' || raw === '1' || raw === 1;
}

/** `value` is the older name; clients read it back as they wrote it. */
function parseEnabled(raw: unknown): boolean | string {
  if (typeof raw === 'boolean') return raw;
  if (raw === 'true' || raw === 'false') return raw;
  return typeof raw === 'string' ? raw.slice(0, MAX_TEXT) : raw === 1;
}

/** The text that is stored and shown; null for none. */
export function attributesText(attributes: readonly ShareAttribute[]): string | null {
  return attributes.length === 0 ? null : JSON.stringify(attributes);
}

export function attributesFromText(text: string | null): ShareAttribute[] {
  return text === null ? [] : (JSON.parse(text) as ShareAttribute[]);
}

/** Permissions written as attributes of the scope `ownCloud`; 0 when there are none. */
export function permissionsFromAttributes(attributes: readonly ShareAttribute[]): number {
  return attributes
    .filter((attribute) => attribute.scope === PERMISSION_SCOPE && isOn(attribute))
    .reduce((sum, attribute) => sum | (PERMISSION_BITS[attribute.key] ?? 0), 0);
}

const isOn = (attribute: ShareAttribute): boolean =>
  attribute.enabled === true || attribute.enabled === 'true';

/** Attributes that a re-share must repeat: those of all covering shares, where one that is on wins. */
export function mergeAttributes(sets: readonly (readonly ShareAttribute[])[]): ShareAttribute[] {
  const merged = new Map<string, ShareAttribute>();
  for (const attribute of sets.flat()) {
    const name = `${attribute.scope}\n${attribute.key}`;
    const known = merged.get(name);
    if (!known || (isOn(attribute) && !isOn(known))) merged.set(name, attribute);
  }
  return [...merged.values()];
}

/** Whether `given` holds each of `required` with the same value. */
export function repeats(given: readonly ShareAttribute[], required: readonly ShareAttribute[]): boolean {
  return required.every((wanted) =>
    given.some(
      (item) => item.scope === wanted.scope && item.key === wanted.key && isOn(item) === isOn(wanted),
    ),
  );
}
