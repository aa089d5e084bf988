/** Work that was begun and has not ended. */
export class UnderWay {
  private readonly works = new Set<Promise<void>>();

  /** Ends as the work does. */
  async follow(work: Promise<void>): Promise<void> {
    this.works.add(work);
    try {
      await work;
    } finally {
      this.works.delete(work);
    }
  }

  /** Resolves when there is none, however it ended. */
  async settled(): Promise<void> {
    while (this.works.size > 0) await Promise.allSettled(this.works);
  }
}
