/** Bytes of a buffer. With 256 kB, sending takes a sixth more processor time. */
const LARGE_BYTES = 512 * 1024;
/** Large buffers that are in use at once in a process; further responses get small ones, for the sake of memory. */
const MOST_LARGE = 64;
const SMALL_BYTES = 64 * 1024;
/** Large buffers that wait for their next use. */
const MOST_KEPT = 16;

/** The buffers of responses that send contents. */
export class SendBuffers {
  private readonly kept: Buffer[] = [];
  private lent = 0;

  /** A buffer for one response. It has to be given back or reported as lost. */
  lend(): Buffer {
    this.lent++;
    if (this.lent > MOST_LARGE) return Buffer.allocUnsafeSlow(SMALL_BYTES);
    return this.kept.pop() ?? Buffer.allocUnsafeSlow(LARGE_BYTES);
  }

  /** Takes back a buffer that nothing refers to any more. */
  takeBack(buffer: Buffer): void {
    this.lent--;
    if (buffer.length === LARGE_BYTES && this.kept.length < MOST_KEPT) this.kept.push(buffer);
  }

  /** Forgets a buffer that something may still refer to. */
  lose(): void {
    this.lent--;
  }
}
