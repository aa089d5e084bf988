const REPORT_EVERY_MS = 2_000;

/** Reports the number of finished contents on standard error from time to time. */
export function reportProgress(what: string): (count: number) => void {
  let reportedAt = Date.now();
  return (count) => {
    if (Date.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = Date.now();
    process.stderr.write(`${count} contents ${what}\n`);
  };
}
