import { Injectable } from '@nestjs/common';
import { type CapabilityEntry, SettingRepository } from '#persistence';
import { CachedPolicy } from './cached-policy';

/** Top-level keys of the capabilities that belong to this product. */
export const RESERVED_CAPABILITIES: readonly string[] = [
  ...['core', 'checksums', 'files', 'files_sharing', 'dav', 'notifications', 'password_policy'],
];

const MAX_ENTRY_BYTES = 65_536;
const MAX_DEPTH = 8;
/** Keys become element names in XML. `__proto__` is excluded, because it would change the object itself. */
const KEY = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9._-]{0,63}$/;

export type EntryRefusal = 'unknown' | 'reserved' | 'invalid';

/** An invalid entry. `message` is meant for the administrator. */
export class EntryRefused extends Error {
  constructor(
    readonly reason: EntryRefusal,
    message: string,
  ) {
    super(message);
  }
}

/** Other apps' entries in the capabilities. A change has effect on every replica within a second. */
@Injectable()
export class CapabilityRegistry {
  constructor(
    private readonly settings: SettingRepository,
    private readonly policy: CachedPolicy,
  ) {}

  /** Entries by app, in the order of their names. */
  async list(): Promise<Map<string, CapabilityEntry>> {
    return this.settings.capabilityEntries();
  }

  /** @throws EntryRefused unknown */
  async get(app: string): Promise<CapabilityEntry> {
    const entry = (await this.settings.capabilityEntries()).get(app);
    if (!entry) throw new EntryRefused('unknown', 'No such entry');
    return entry;
  }

  /** Adds or replaces an app's entry: an object of capabilities by top-level key. @throws EntryRefused */
  async set(app: string, entry: unknown): Promise<void> {
    if (!KEY.test(app))
      throw new EntryRefused('invalid', 'The name of the app must be letters, digits, ".", "_" or "-"');
    assertEntry(entry);
    await this.settings.setCapabilityEntry(app, entry);
    this.policy.changed('capability');
  }

  /** @throws EntryRefused unknown */
  async remove(app: string): Promise<void> {
    if (!(await this.settings.removeCapabilityEntry(app))) throw new EntryRefused('unknown', 'No such entry');
    this.policy.changed('capability');
  }
}

function assertEntry(entry: unknown): asserts entry is CapabilityEntry {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new EntryRefused('invalid', 'The entry must be a JSON object');
  assertValue(entry, 1);
  if (Buffer.byteLength(JSON.stringify(entry)) > MAX_ENTRY_BYTES)
    throw new EntryRefused('invalid', `The entry is larger than ${MAX_ENTRY_BYTES} bytes`);
  const reserved = Object.keys(entry).find((key) => RESERVED_CAPABILITIES.includes(key));
  if (reserved !== undefined) throw new EntryRefused('reserved', `The key ${reserved} is reserved`);
}

function assertValue(value: unknown, depth: number): void {
  // Postgres can store neither NUL nor half of a surrogate pair.
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed()))
    throw new EntryRefused('invalid', 'The entry holds text that cannot be stored');
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH)
    throw new EntryRefused('invalid', `The entry is nested deeper than ${MAX_DEPTH} levels`);
  for (const [key, item] of Object.entries(value)) {
    if (!Array.isArray(value) && !KEY.test(key))
      throw new EntryRefused('invalid', `'${key.slice(0, 64)}' cannot be a key`);
    assertValue(item, depth + 1);
  }
}
