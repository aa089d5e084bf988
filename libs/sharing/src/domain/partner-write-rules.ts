/** How files are written into folders of partners. */
export interface PartnerWriteRules {
  /** Whether they are kept here until the partner has them. */
  readonly isOn: boolean;
  /** Bytes up to which a writer waits for a partner that is there. */
  readonly atOnceBytes: number;
  /** Bytes that may wait, of one user. */
  readonly userBytes: number;
  /** Bytes that may wait, for one partner. */
  readonly partnerBytes: number;
  /** Age at which a file that was not taken becomes one of its writer. */
  readonly maxAgeMs: number;
}

const MEGABYTE = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;

/** @param text of a setting of the app `files` */
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
