/** Rules for the contents of partners' files that are kept for the next readers. */
export interface PartnerCacheRules {
  /** Maximum bytes of all contents; 0: none are kept. */
  readonly bytes: number;
  /** Maximum bytes of one content. */
  readonly fileBytes: number;
  /** Whether they are shown while the partner is unreachable. */
  readonly servesWhileAway: boolean;
}

const MEGABYTE = 1024 * 1024;
/** The part of the space that one file may use, so that a few large files do not displace all others. */
const PART_OF_FILE = 1 / 8;

/** @param text value of the setting */
export function partnerCacheRulesFrom(text: (name: string) => string): PartnerCacheRules {
  const bytes = Number(text('files/partner_cache_megabytes')) * MEGABYTE;
  return {
    bytes,
    fileBytes: bytes * PART_OF_FILE,
    servesWhileAway: text('files/partner_cache_while_away') === 'yes',
  };
}
