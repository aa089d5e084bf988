/** Senders whose uploads are scanned: visitors of links and partners, or users of the instance as well. */
export const SCAN_SCOPES = ['guests-and-partners', 'everybody'] as const;

/** Treatment of uploads for which the scanner gives no verdict. */
export const UNSCANNED_RULES = ['refuse', 'allow'] as const;

/** Treatment of uploads with a finding. They are refused in both cases. */
export const FINDING_RULES = ['refuse', 'quarantine'] as const;

/** Rules for uploads that a scanner checks before they become visible. */
export interface ScanRules {
  readonly everybody: boolean;
  /** Maximum of bytes that are scanned per content. */
  readonly maxBytes: number;
  /** Whether larger contents are refused. Otherwise only their first `maxBytes` are scanned. */
  readonly refusesLarger: boolean;
  /** Whether contents are refused if the scanner gives no verdict. */
  readonly refusesUnscanned: boolean;
  readonly quarantine: {
    /** Whether refused uploads are kept for operators. */
    readonly isOn: boolean;
    /** 0: kept without limit. */
    readonly days: number;
    readonly maxBytes: number;
  };
}

const BYTES_OF_MEGABYTE = 1024 * 1024;

/** @param text reads the value of a setting by its app and key */
export function scanRulesFrom(text: (name: string) => string): ScanRules {
  const bytes = (key: string): number => {
    const megabytes = Number(text(`files_antivirus/${key}`));
    return megabytes === 0 ? Infinity : megabytes * BYTES_OF_MEGABYTE;
  };
  return {
    everybody: text('files_antivirus/scan_uploads_of') === 'everybody',
    maxBytes: bytes('max_scan_megabytes'),
    refusesLarger: text('files_antivirus/larger') === 'refuse',
    refusesUnscanned: text('files_antivirus/unreachable') === 'refuse',
    quarantine: {
      isOn: text('files_antivirus/finding') === 'quarantine',
      days: Number(text('files_antivirus/quarantine_days')),
      maxBytes: bytes('quarantine_max_megabytes'),
    },
  };
}
