const REPORT_EVERY_MS = 2_000;

/** Says on standard error, every now and then, how many contents were done. */
export function reportProgress(what: string): (count: number) => void {
  let reportedAt = Date.now();
  return (count) => {
    if (Date.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = Date.now();
    process.stderr.write(`${count} contents ${what}\n`);
  };
}
