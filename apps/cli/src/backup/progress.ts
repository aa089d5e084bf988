const REPORT_EVERY_MS = 2_000;

/** Says on standard error, every now and then, how many contents were done. */
export function reportProgress(what: string): (count: number) => void {
  let toldAt = Date.now();
  return (count) => {
    if (Date.now() - toldAt < REPORT_EVERY_MS) return;
    toldAt = Date.now();
    process.stderr.write(`${count} contents ${what}\n`);
  };
}
