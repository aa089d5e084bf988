/** Which contents of partners' files are kept for those who read them again. */
export interface PartnerCacheRules {
  /** Bytes of all; 0: none are kept. */
  readonly bytes: number;
  /** Bytes of the largest one. */
  readonly fileBytes: number;
  /** Whether they are shown while the partner is away. */
  readonly servesWhileAway: boolean;
}

const MEGABYTE = 1024 * 1024;
/** A file may take this part of the room: a few large ones do not push all others out. */
const PART_OF_FILE = 1 / 8;

/** @param text of a setting */
export function partnerCacheRulesFrom(text: (name: string) => string): PartnerCacheRules {
  const bytes = Number(text('files/partner_cache_megabytes')) * MEGABYTE;
  return {
    bytes,
    fileBytes: bytes * PART_OF_FILE,
    servesWhileAway: text('files/partner_cache_while_away') === 'yes',
  };
}
