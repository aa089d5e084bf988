/** How files are written into folders of partners. */
export interface PartnerWriteRules {
  /** Whether files are kept here until the partner has them. */
  readonly isOn: boolean;
  /** Largest file, in bytes, for which a writer waits while the partner is reachable. */
  readonly atOnceBytes: number;
  /** Maximum of waiting bytes per user. */
  readonly userBytes: number;
  /** Maximum of waiting bytes per partner. */
  readonly partnerBytes: number;
  /** Age after which a waiting file is given to its writer instead. */
  readonly maxAgeMs: number;
}

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

/** @param text reads a setting of the app `files` */
export function partnerWriteRulesFrom(text: (name: string) => string): PartnerWriteRules {
  const megabytes = (key: string): number => Number(text(`files/${key}`)) * MEGABYTE;
  const bound = (key: string): number => megabytes(key) || Infinity;
  return {
    isOn: text('files/store_partner_writes') === 'yes',
    atOnceBytes: megabytes('partner_writes_at_once_megabytes'),
    userBytes: bound('stored_writes_user_megabytes'),
    partnerBytes: bound('stored_writes_partner_megabytes'),
    maxAgeMs: Number(text('files/stored_writes_days')) * DAY_MS,
  };
}
