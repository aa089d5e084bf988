/** @returns a function that starts the work, or lets it run once more after the run that is under way */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isAsked = false;
  return () => {
    isAsked = true;
    if (!isRunning) void run();
  };

  async function run(): Promise<void> {
    isRunning = true;
    try {
      while (isAsked) {
        isAsked = false;
        await work();
      }
    } finally {
      isRunning = false;
    }
  }
}
