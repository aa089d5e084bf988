import { SharingFailed } from './sharing-failed';

/** One attribute of a share, such as `{scope: 'permissions', key: 'download', enabled: true}`. */
export interface ShareAttribute {
  readonly scope: string;
  readonly key: string;
  readonly enabled: boolean | string;
}

const MAX_ATTRIBUTES = 100;
const MAX_TEXT = 255;
/** Maximum length of the list as JSON text, in characters. */
const MAX_LIST_TEXT = 65_536;

/** When this is off, the share is view-only: it lists files and gives no content. */
export const DOWNLOAD = { scope: 'permissions', key: 'download' } as const;

/** When this is on, the share opens only for people who signed in with a second factor: here, or at the recipient's server. */
export const SECOND_FACTOR = { scope: 'authentication', key: 'second-factor' } as const;

/** When this is on, a link opens only for people who are signed in to this server. */
export const ACCOUNT = { scope: 'authentication', key: 'account' } as const;

const ENFORCED = [DOWNLOAD, SECOND_FACTOR, ACCOUNT];

/** The scope in which older clients wrote permissions as attributes. */
const PERMISSION_SCOPE = 'ownCloud';
const PERMISSION_BITS: Record<string, number> = { read: 1, update: 2, create: 4, delete: 8, share: 16 };

/**
 * Reads `attributes` of a request: a list of `{scope, key, enabled}` from a form or JSON body, or the JSON text of that
 * list, as Nextcloud's clients send it. `value` is another name of `enabled`; it may be any text if this server does not enforce the
 * attribute. Empty text is the empty list.
 *
 * @param raw a list, or a map of list items as forms make it, or text
 * @throws SharingFailed attributes-invalid for anything else: a condition that is not understood must not be lost
 */
export function parseAttributes(raw: unknown): ShareAttribute[] {
  const list = typeof raw === 'string' ? listOfText(raw) : raw;
  if (typeof list !== 'object' || list === null) throw invalid();
  const items: unknown[] = Object.values(list);
  if (items.length > MAX_ATTRIBUTES) throw invalid();
  const attributes = items.map(parseAttribute);
  // Two items about the same thing are refused: otherwise one that allows it would win over one that forbids it.
  if (new Set(attributes.map(nameOf)).size < attributes.length) throw invalid();
  return attributes;
}

const invalid = (): SharingFailed => new SharingFailed('attributes-invalid');

function listOfText(text: string): unknown[] {
  if (text === '') return [];
  if (text.length > MAX_LIST_TEXT) throw invalid();
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    throw invalid();
  }
  throw invalid();
}

function parseAttribute(raw: unknown): ShareAttribute {
  if (typeof raw !== 'object' || raw === null) throw invalid();
  const { scope, key, enabled, value } = raw as Record<string, unknown>;
  if (!isName(scope) || !isName(key)) throw invalid();
  if (enabled !== undefined) return { scope, key, enabled: decodeEnabled(enabled) };
  return { scope, key, enabled: isEnforced({ scope, key }) ? decodeEnabled(value) : parseValue(value) };
}

const isEnforced = (attribute: Pick<ShareAttribute, 'scope' | 'key'>): boolean =>
  ENFORCED.some((one) => nameOf(one) === nameOf(attribute));

const isName = (text: unknown): text is string =>
  typeof text === 'string' && text !== '' && text.length <= MAX_TEXT && !text.includes('\0');

const FLAGS = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
  ['', false],
  [null, false],
]);

/** `enabled` is a boolean; in a form it is the JSON text of one. */
function decodeEnabled(raw: unknown): boolean {
  const flag = FLAGS.get(raw);
  if (flag === undefined) throw invalid();
  return flag;
}

/** Clients expect a text in `value` to come back as they wrote it, if this server does not enforce the attribute. */
function parseValue(raw: unknown): boolean | string {
  if (raw === undefined) throw invalid();
  if (typeof raw !== 'string') return decodeEnabled(raw);
  if (raw.length > MAX_TEXT) throw invalid();
  return raw;
}

/** The text that is stored and shown; null for none. */
export function attributesText(attributes: readonly ShareAttribute[]): string | null {
  return attributes.length === 0 ? null : JSON.stringify(attributes);
}

export function attributesFromText(text: string | null): ShareAttribute[] {
  return text === null ? [] : (JSON.parse(text) as ShareAttribute[]);
}

/** Permissions written as attributes of the scope `ownCloud`; undefined if no attribute has that scope. */
export function permissionsFromAttributes(attributes: readonly ShareAttribute[]): number | undefined {
  const own = attributes.filter((attribute) => attribute.scope === PERMISSION_SCOPE);
  if (own.length === 0) return undefined;
  return own.filter(isOn).reduce((sum, attribute) => sum | (PERMISSION_BITS[attribute.key] ?? 0), 0);
}

/** Attributes that may restrict a share. Permissions, an allowed download and demands that are off do not. */
export function conditionsAmong(attributes: readonly ShareAttribute[]): ShareAttribute[] {
  return attributes.filter(
    (attribute) =>
      attribute.scope !== PERMISSION_SCOPE &&
      !(nameOf(attribute) === nameOf(DOWNLOAD) && isOn(attribute)) &&
      !(isDemand(attribute) && !isOn(attribute)),
  );
}

/** Attributes that this server neither enforces nor reads as permissions: other servers have apps for them. */
export function unknownAmong(attributes: readonly ShareAttribute[]): ShareAttribute[] {
  return attributes.filter(
    ({ scope, key }) =>
      !(scope === PERMISSION_SCOPE && Object.hasOwn(PERMISSION_BITS, key)) && !isEnforced({ scope, key }),
  );
}

/** Whether `attributes` demand something of the caller. @param demand SECOND_FACTOR or ACCOUNT */
export const demands = (
  attributes: readonly ShareAttribute[],
  demand: typeof SECOND_FACTOR | typeof ACCOUNT,
): boolean => attributes.some((attribute) => nameOf(attribute) === nameOf(demand) && isOn(attribute));

const isDemand = (attribute: ShareAttribute): boolean =>
  [SECOND_FACTOR, ACCOUNT].some((demand) => nameOf(demand) === nameOf(attribute));

const nameOf = ({ scope, key }: Pick<ShareAttribute, 'scope' | 'key'>): string =>
  JSON.stringify([scope, key]);

const isOn = (attribute: ShareAttribute): boolean =>
  attribute.enabled === true || attribute.enabled === 'true';

/** Whether `attribute` switches `condition` off. */
export function denies(attribute: ShareAttribute, condition: Pick<ShareAttribute, 'scope' | 'key'>): boolean {
  return nameOf(attribute) === nameOf(condition) && !isOn(attribute);
}

/** Merges the attributes of several shares of one node: an attribute that is on in one of them is on in the result. */
export function mergeAttributes(sets: readonly (readonly ShareAttribute[])[]): ShareAttribute[] {
  const merged = new Map<string, ShareAttribute>();
  for (const attribute of sets.flat()) {
    const name = nameOf(attribute);
    const known = merged.get(name);
    if (!known || (isOn(attribute) && !isOn(known))) merged.set(name, attribute);
  }
  return [...merged.values()];
}

/** Whether `given` contains every attribute of `required` with the same value. */
export function repeats(given: readonly ShareAttribute[], required: readonly ShareAttribute[]): boolean {
  return required.every((wanted) =>
    given.some(
      (item) => item.scope === wanted.scope && item.key === wanted.key && isOn(item) === isOn(wanted),
    ),
  );
}
