import { spawn, type ChildProcess } from 'node:child_process';

/** A small picture. */
export interface Preview {
  /** `image/png` or `image/jpeg`. */
  readonly type: string;
  readonly data: Buffer;
}

/** A newly made small picture. */
export interface RenderedPicture extends Preview {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

interface Frame {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** A picture that is made smaller, or has the requested size. */
export interface ImageJob extends Frame {
  readonly kind: 'image';
  /** The whole picture. */
  readonly input: Buffer;
  /** `cover` cuts off parts outside of the frame, `inside` keeps the whole picture. */
  readonly fit: 'cover' | 'inside';
  readonly enlarges: boolean;
  /** The used part; default: all of it. */
  readonly part?: Frame & { readonly left: number; readonly top: number };
  /** Default: JPEG stays JPEG, and all others become PNG. */
  readonly format?: 'png' | 'jpeg';
}

/** The start of a text, drawn as a page. */
interface TextJob extends Frame {
  readonly kind: 'text';
  readonly input: Buffer;
}

/** A few letters on a background of one colour; colours are `#rrggbb`. */
interface LettersJob extends Frame {
  readonly kind: 'letters';
  readonly input: Buffer;
  readonly ground: string;
  readonly ink: string;
  readonly format: 'png' | 'jpeg';
}

export type PreviewJob = ImageJob | TextJob | LettersJob;

interface Answer {
  readonly id: number;
  readonly type?: string;
  readonly data?: Uint8Array;
  readonly width?: number;
  readonly height?: number;
}

/** Program of the process. */
const PROGRAM = "require('#preview-process')";

const TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

/**
 * Makes previews in a separate process, one at a time: a picture that crashes its decoder crashes nothing else. The process starts
 * with the first preview, is killed if it takes too long, and ends after a time without requests.
 */
export class PreviewRenderer {
  private child: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private idle: NodeJS.Timeout | undefined;
  private jobs = 0;

  /**
   * @param read reads the job when it is its turn, so that waiting jobs hold no content; undefined if there is nothing to show
   * @returns undefined for an invalid picture, or one that takes too much time or memory
   */
  render(read: () => Promise<PreviewJob | undefined>): Promise<RenderedPicture | undefined> {
    const result = this.last.then(async () => {
      const job = await read();
      return job && this.inChild(job);
    });
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Ends the process. */
  stop(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private inChild(job: PreviewJob): Promise<RenderedPicture | undefined> {
    clearTimeout(this.idle);
    const child = this.started();
    const id = ++this.jobs;
    return new Promise((resolve) => {
      const end = (picture: RenderedPicture | undefined): void => {
        clearTimeout(timer);
        child.off('message', hear).off('exit', exited).off('error', exited);
        this.idle = setTimeout(() => this.stop(), IDLE_MS).unref();
        resolve(picture);
      };
      const hear = (answer: Answer): void => {
        if (answer.id !== id) return;
        const { type, data, width = 0, height = 0 } = answer;
        if (type === undefined || data === undefined) end(undefined);
        else end({ type, data: Buffer.from(data), width, height });
      };
      const exited = (): void => {
        if (this.child === child) this.child = undefined;
        end(undefined);
      };
      const timer = setTimeout(() => {
        this.stop();
        end(undefined);
      }, TIMEOUT_MS);
      child.on('message', hear).once('exit', exited).once('error', exited);
      child.send({ id, ...job }, (error) => error && exited());
    });
  }

  private started(): ChildProcess {
    if (this.child?.connected) return this.child;
    this.child = spawn(process.execPath, ['-e', PROGRAM], {
      // Libraries are resolved from this directory.
      cwd: __dirname,
      // The environment is left out, because it contains secrets.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child.unref();
    this.child.channel?.unref();
    this.child.on('error', () => undefined);
    return this.child;
  }
}
