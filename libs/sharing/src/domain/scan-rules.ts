/**
 * Senders whose uploads are scanned: visitors of links and partners, or users of the instance as well.
 */
export const SCAN_SCOPES = ['guests-and-partners', 'everybody'] as const;

/** Treatment of uploads without a verdict of the scanner. */
export const UNSCANNED_RULES = ['refuse', 'allow'] as const;

/** Treatment of uploads in which something was found; they are refused in both cases. */
export const FINDING_RULES = ['refuse', 'quarantine'] as const;

/** Rules about uploads that pass a scanner before they become visible. */
export interface ScanRules {
  readonly everybody: boolean;
  /** Bytes of a content that are scanned at most. */
  readonly maxBytes: number;
  /** Whether larger contents are refused; their first `maxBytes` are scanned otherwise. */
  readonly refusesLarger: boolean;
  /** Whether contents are refused while the scanner gives no verdict. */
  readonly refusesUnscanned: boolean;
  readonly quarantine: {
    /** Whether refused uploads are kept for operators. */
    readonly isOn: boolean;
    /** 0 for ever. */
    readonly days: number;
    readonly maxBytes: number;
  };
}

const BYTES_OF_MEGABYTE = 1024 * 1024;

/** @param text value of a setting by its app and key */
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
