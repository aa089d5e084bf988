import { ScannerConnection, type ScannerEndpoint } from './scanner-connection';
import { findingOf, ScannerFailure, type ScannedContent, type Scanner, type ScannerAnswer } from './scanner';

const MAX_ANSWER_BYTES = 4096;
const END = '\0';
const END_OF_STREAM = Buffer.alloc(4);
/** Finding with which clamd, under AlertExceedsMax, reports contents that it did not check completely. */
const NOT_LOOKED_AT = /^Heuristics\.Limits\.Exceeded/;

/** ClamAV's daemon, with its command INSTREAM. Source: clamd(8). */
export class ClamdScanner implements Scanner {
  /** @param limitMs time limit of one scan */
  constructor(
    private readonly endpoint: ScannerEndpoint,
    private readonly limitMs: number,
  ) {}

  scan(open: () => Promise<ScannedContent>, isRepeated = false): Promise<ScannerAnswer> {
    return this.ask(async (connection) => {
      const { body } = await open();
      // It may fail before it is read. Its reader then finds it destroyed.
      body.on('error', () => undefined);
      try {
        await connection.write(`zINSTREAM${END}`);
        for await (const bytes of body) {
          // It answers before the end if it accepts no more bytes.
          if (connection.isAnswered) break;
          await connection.write(Buffer.concat([lengthOf(bytes as Buffer), bytes as Buffer]));
        }
        await connection.write(END_OF_STREAM);
      } finally {
        body.destroy();
      }
      return answerOf(await connection.readTo(END, MAX_ANSWER_BYTES));
    }, isRepeated);
  }

  describe(): Promise<string> {
    return this.ask(async (connection) => {
      await connection.write(`zVERSION${END}`);
      return connection.readTo(END, MAX_ANSWER_BYTES);
    });
  }

  private async ask<T>(question: (connection: ScannerConnection) => Promise<T>, isSlow = false): Promise<T> {
    const connection = await ScannerConnection.open(this.endpoint, this.limitMs, isSlow);
    try {
      return await question(connection);
    } finally {
      connection.close();
    }
  }
}

function lengthOf(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

/** Reads `stream: OK`, `stream: <name> FOUND` and `<reason> ERROR`. */
function answerOf(answer: string): ScannerAnswer {
  if (answer === 'stream: OK') return { kind: 'clean' };
  const name = /^stream: (.*) FOUND$/.exec(answer)?.[1];
  if (name !== undefined) return NOT_LOOKED_AT.test(name) ? { kind: 'too-large' } : findingOf(name);
  if (/size limit exceeded/.test(answer)) return { kind: 'too-large' };
  throw new ScannerFailure(`clamd answers: ${answer}`);
}
