import { shallowReactive } from 'vue';
import { DetailedError, Upload as TusUpload, type UploadOptions } from 'tus-js-client';
import { reasonInBody, RequestFailed } from './http';

const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];
const PIECE_BYTES = 16 * 1024 * 1024;
/** Browsers open six connections to a server. The page needs some of them while files are sent. */
const AT_ONCE = 3;

/** A folder for uploads. */
interface UploadFolder {
  /** Its WebDAV address, with a trailing slash. */
  readonly endpoint: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether files get another name if their name is taken; otherwise the user is asked. */
  readonly makesWay: boolean;
}

/** A file, and the folder that it is sent to. */
export interface ChosenFile {
  readonly folder: UploadFolder;
  readonly file: File;
}

let lastId = 0;

/** An upload of one file, which waits for its turn first. */
class Upload {
  /** Different for each upload, also of files with one name. */
  readonly id = (lastId += 1);
  readonly name: string;
  readonly bytes: number;
  sentBytes = 0;
  state: 'waiting' | 'sending' | 'paused' | 'offline' | 'done' | 'failed' | 'exists' = 'waiting';
  /** Reason of the state `failed`. */
  failure: RequestFailed | undefined;
  /** 1 means its own name. */
  private number = 1;
  private sender: TusUpload | undefined;

  constructor(
    private readonly chosen: ChosenFile,
    private readonly whenDone: (file: File) => void,
  ) {
    this.name = chosen.file.name;
    this.bytes = chosen.file.size;
  }

  async begin(): Promise<void> {
    this.state = 'sending';
    if (!this.sender) {
      this.sender = this.newSender(!this.chosen.folder.makesWay);
      // A page that was left may have sent a part of the file.
      const [previous] = await this.sender.findPreviousUploads();
      if (previous) this.sender.resumeFromPreviousUpload(previous);
    }
    if (this.state === 'sending') this.sender.start();
  }

  pause(): void {
    void this.sender?.abort();
    this.leaveRoom('paused');
  }

  resume(): void {
    this.leaveRoom('waiting');
  }

  /** Sends it again, and replaces the file with its name. */
  replace(): void {
    this.sender = this.newSender(false);
    this.leaveRoom('waiting');
  }

  /** Sends it again with the next free name. */
  keepBoth(): void {
    this.number += 1;
    this.sender = this.newSender(true);
    this.leaveRoom('waiting');
  }

  cancel(): void {
    // If it may not be ended there, it expires by itself.
    this.sender?.abort(true).catch(() => undefined);
    uploads.splice(uploads.indexOf(this), 1);
    this.leaveRoom('paused');
  }

  /** @param isNew whether an existing file is left unchanged */
  private newSender(isNew: boolean): TusUpload {
    const { folder, file } = this.chosen;
    return new TusUpload(file, {
      ...optionsOf(folder, file, numbered(file.name, this.number), isNew),
      onProgress: (sent) => (this.sentBytes = sent),
      onSuccess: () => {
        this.sentBytes = file.size;
        this.leaveRoom('done');
        this.whenDone(file);
      },
      onError: (error) => this.fail(failureOf(error)),
    });
  }

  private fail(failure: RequestFailed): void {
    this.failure = failure;
    const isTaken = failure.status === 412;
    if (isTaken && this.number > 1) this.keepBoth();
    else if (!navigator.onLine) this.leaveRoom('offline');
    else this.leaveRoom(isTaken ? 'exists' : 'failed');
  }

  private leaveRoom(state: Upload['state']): void {
    this.state = state;
    beginNext();
  }
}

/** Uploads of this page, the earliest first. */
export const uploads = shallowReactive<Upload[]>([]);

const BEFORE_THE_END = ['waiting', 'sending', 'offline'];

/** The browser asks before it leaves the page, because that breaks uploads off. */
addEventListener('beforeunload', (event) => {
  if (uploads.some(({ state }) => BEFORE_THE_END.includes(state))) event.preventDefault();
});

addEventListener('online', () => {
  for (const upload of uploads) if (upload.state === 'offline') upload.state = 'waiting';
  beginNext();
});

/**
 * Sends files in parts, so that an upload continues after an interruption, even after the page was loaded again. A few
 * files are sent at once, in their order.
 * @param whenDone called for each complete file
 */
export function uploadFiles(files: readonly ChosenFile[], whenDone: (file: File) => void): void {
  for (const chosen of files) uploads.push(shallowReactive(new Upload(chosen, whenDone)));
  beginNext();
}

/** Begins as many waiting uploads as there is room for, if there is a network. */
function beginNext(): void {
  if (!navigator.onLine) return;
  const room = AT_ONCE - uploads.filter(({ state }) => state === 'sending').length;
  if (room <= 0) return;
  const next = uploads.filter(({ state }) => state === 'waiting').slice(0, room);
  for (const upload of next) void upload.begin();
}

function failureOf(error: Error): RequestFailed {
  const reply = error instanceof DetailedError ? error.originalResponse : null;
  if (!reply) return new RequestFailed(0, 'no-answer', false);
  const words = reasonInBody(reply.getBody(), reply.getHeader('content-type') ?? '');
  return new RequestFailed(reply.getStatus(), words, false);
}

/** Whether a later attempt may succeed by itself. Missing room (507) is reported at once. */
function mayPass(error: DetailedError): boolean {
  const { status } = failureOf(error);
  const isPassing = status === 0 || status === 409 || status === 423 || (status >= 500 && status !== 507);
  return isPassing && navigator.onLine;
}

/** `notes (2).txt` for the second file with the name `notes.txt`. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const [, stem, ending] = /^(.+?)(\.[^.]+)?$/s.exec(name)!;
  return `${stem} (${number})${ending ?? ''}`;
}

/** @param isNew whether an existing file is left unchanged */
const optionsOf = (folder: UploadFolder, file: File, name: string, isNew: boolean): UploadOptions => ({
  endpoint: folder.endpoint,
  metadata: { filename: name, mtime: String(Math.floor(file.lastModified / 1000)) },
  headers: {
    'x-requested-with': 'XMLHttpRequest',
    ...(isNew && { 'if-none-match': '*' }),
    ...folder.headers,
  },
  chunkSize: PIECE_BYTES,
  retryDelays: RETRY_DELAYS_MS,
  onShouldRetry: mayPass,
  removeFingerprintOnSuccess: true,
});
