/** A partner that is found at another host: from which to which, as canonical hosts, and where the new one is reached. */
export interface PartnerMove {
  readonly from: string;
  readonly to: string;
  /** `https://host[:port][/path]` of the new one. */
  readonly baseUrl: string;
}

/** Everything that a partner is renamed with. */
export interface RenamePorts<Share, Moved> {
  /** Accepted shares of the old host as the new one would have them, those that were seen last first. */
  samples(move: PartnerMove, limit: number): Promise<readonly Share[]>;
  /** Whether the new host shows the content of a share. */
  shows(share: Share): Promise<boolean>;
  /** Whether it shows it to somebody who brings another secret. */
  showsWithoutSecret(share: Share): Promise<boolean>;
  /** Moves everything in one change; repeated, it finds nothing to do. */
  move(move: PartnerMove): Promise<Moved>;
}

export type Renamed<Moved> =
  | { readonly kind: 'renamed'; readonly moved: Moved; readonly proven: number; readonly asked: number }
  /** The new host did not prove that it is the same partner: nothing was done. */
  | { readonly kind: 'unproven'; readonly reason: 'shows-none' | 'shows-anybody'; readonly asked: number };

/** So many shares the new host is asked for at most. */
const SAMPLES = 5;

/**
 * Lets a partner be found at another host, with everything that is shared with it. The new host proves that it knows the secrets
 * of shares of the old one: it shows at least one of them, and does not show it to somebody with another secret. Without any
 * share there is nothing to prove it by, and the operator's word counts.
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

/** Spellings of the old and the new host in what is stored; patterns are regular expressions. */
export interface MovedSpellings {
  /** The end of a cloud id at the old host, in every spelling under which one is kept. */
  readonly idPattern: string;
  /** The new end of such a cloud id, with the scheme only where it is not the usual one. */
  readonly newHost: string;
  readonly canonicalFrom: string;
  readonly canonicalTo: string;
  /** The beginning of an address at the old host. */
  readonly addressPattern: string;
}

/** How cloud ids and addresses of the old host are found, and spelled at the new one. */
export function movedSpellings({ from, to, baseUrl }: PartnerMove): MovedSpellings {
  return {
    idPattern: `@(https?://)?${escaped(from)}(/index\\.php[^@]*)?/*$`,
    newHost: `@${baseUrl.startsWith('https:') ? to : `http://${to}`}`,
    canonicalFrom: `@${from}`,
    canonicalTo: `@${to}`,
    addressPattern: `^https?://${escaped(from)}(?=/|$)`,
  };
}

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '\\$&');
