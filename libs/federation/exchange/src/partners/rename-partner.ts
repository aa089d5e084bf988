/** A partner that moved to another host: the old and the new canonical host, and the address of the new one. */
export interface PartnerMove {
  readonly from: string;
  readonly to: string;
  /** `https://host[:port][/path]` of the new host. */
  readonly baseUrl: string;
}

/** Both canonical hosts of a rename. */
export interface RenameRequest {
  readonly from: string;
  readonly to: string;
  /** The old host no longer exists, so it is not called. */
  readonly isOldHostGone: boolean;
}

/** Result of a discovery: the address of a partner, or the failure. */
export type AskedHost = { readonly baseUrl: string } | { readonly failure: string };

export type ReadMove =
  | { readonly kind: 'move'; readonly move: PartnerMove }
  | { readonly kind: 'no-partner'; readonly host: 'old' | 'new'; readonly failure: string };

/** Discovers both hosts, the new one first: a server that shares nothing cannot be a partner. */
export async function readMove(
  ask: (host: 'old' | 'new') => Promise<AskedHost>,
  { from, to, isOldHostGone }: RenameRequest,
): Promise<ReadMove> {
  const next = await ask('new');
  if ('failure' in next) return { kind: 'no-partner', host: 'new', failure: next.failure };
  const old = isOldHostGone ? undefined : await ask('old');
  if (old && 'failure' in old) return { kind: 'no-partner', host: 'old', failure: old.failure };
  return { kind: 'move', move: { from, to, baseUrl: next.baseUrl } };
}

/** Everything that a rename of a partner needs. */
export interface RenamePorts<Share, Moved> {
  /** Accepted shares of the old host, rewritten for the new one; recently seen ones first. */
  samples(move: PartnerMove, limit: number): Promise<readonly Share[]>;
  /** Whether the new host shows the content of a share. */
  shows(share: Share): Promise<boolean>;
  /** Whether it shows the content even with a wrong secret. */
  showsWithoutSecret(share: Share): Promise<boolean>;
  /** Moves everything in one change. A repetition finds nothing to do. */
  move(move: PartnerMove): Promise<Moved>;
}

export type Renamed<Moved> =
  | { readonly kind: 'renamed'; readonly moved: Moved; readonly proven: number; readonly asked: number }
  /** The new host did not prove that it is the same partner: nothing was changed. */
  | { readonly kind: 'unproven'; readonly reason: 'shows-none' | 'shows-anybody'; readonly asked: number };

/** Maximum number of shares that are requested from the new host. */
const SAMPLES = 5;

/**
 * Moves a partner to another host, with everything that is shared with it. The new host has to prove that it knows the secrets
 * of shares of the old one: it shows at least one of them, and does not show it with a wrong secret. Without any
 * share no proof is possible, and the operator's decision counts.
 */
export async function renamePartner<Share, Moved>(
  ports: RenamePorts<Share, Moved>,
  move: PartnerMove,
): Promise<Renamed<Moved>> {
  const samples = await ports.samples(move, SAMPLES);
  const asked = samples.length;
  const shown: Share[] = [];
  for (const share of samples) if (await ports.shows(share)) shown.push(share);
  const [first] = shown;
  if (asked > 0 && first === undefined) return { kind: 'unproven', reason: 'shows-none', asked };
  if (first !== undefined && (await ports.showsWithoutSecret(first)))
    return { kind: 'unproven', reason: 'shows-anybody', asked };
  return { kind: 'renamed', moved: await ports.move(move), proven: shown.length, asked };
}

/** Spellings of the old and the new host in stored texts; patterns are regular expressions. */
export interface MovedSpellings {
  /** The end of a cloud id at the old host, in every spelling that may be stored. */
  readonly idPattern: string;
  /** The new end of the cloud id, with a scheme only if it is not the usual one. */
  readonly newHost: string;
  readonly canonicalFrom: string;
  readonly canonicalTo: string;
  /** The beginning of an address at the old host. */
  readonly addressPattern: string;
}

/** Patterns for cloud ids and addresses of the old host, and their new spelling. */
export function movedSpellings({ from, to, baseUrl }: PartnerMove): MovedSpellings {
  return {
    idPattern: movedIdPattern(from),
    newHost: `@${baseUrl.startsWith('https:') ? to : `http://${to}`}`,
    canonicalFrom: `@${from}`,
    canonicalTo: `@${to}`,
    addressPattern: `^https?://${escaped(from)}(?=/|$)`,
  };
}

/** The end of a cloud id at this host, in every stored spelling. */
export const movedIdPattern = (from: string): string =>
  `@(https?://)?${escaped(from)}(/index\\.php[^@]*)?/*$`;

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '\\$&');
