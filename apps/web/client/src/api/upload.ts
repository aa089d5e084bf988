import { reactive } from 'vue';
import { DetailedError, Upload as TusUpload, type UploadOptions } from 'tus-js-client';
import { reasonInBody, RequestFailed } from './http';

const RETRY_DELAYS_MS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];
const PIECE_BYTES = 16 * 1024 * 1024;

/** A file that is being uploaded. */
export interface Upload {
  /** Different for each upload, also of files with one name. */
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  sentBytes: number;
  /** Reason of the state `failed`. */
  failure?: RequestFailed;
  state: 'sending' | 'paused' | 'offline' | 'done' | 'failed' | 'exists';
  pause(): void;
  resume(): void;
  /** Sends it again, and replaces the file with its name. */
  replace(): void;
  /** Sends it again with the next free name. */
  keepBoth(): void;
  cancel(): void;
}

/** A folder for uploads. */
export interface UploadFolder {
  /** Its WebDAV address, with a trailing slash. */
  readonly endpoint: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether files get another name if their name is taken; otherwise the user is asked. */
  readonly makesWay: boolean;
}

/** Uploads of this page, the latest first. */
export const uploads = reactive<Upload[]>([]);

let lastId = 0;

/** The browser asks before it leaves the page, because that breaks uploads off. */
addEventListener('beforeunload', (event) => {
  if (uploads.some(({ state }) => state === 'sending' || state === 'offline')) event.preventDefault();
});

/**
 * Sends a file in parts, so that the upload continues after an interruption, even after the page was loaded again.
 * @param whenDone called when the file is complete
 */
export function uploadFile(folder: UploadFolder, file: File, whenDone: () => void): void {
  /** 1 means its own name. */
  let number = 1;
  let sender = senderOf(!folder.makesWay);
  const upload: Upload = reactive({
    id: (lastId += 1),
    name: file.name,
    bytes: file.size,
    sentBytes: 0,
    state: 'sending',
    pause: () => {
      upload.state = 'paused';
      void sender.abort();
    },
    resume: () => {
      upload.state = 'sending';
      sender.start();
    },
    replace: () => {
      upload.state = 'sending';
      sender = senderOf(false);
      sender.start();
    },
    keepBoth: () => {
      upload.state = 'sending';
      number += 1;
      sender = senderOf(true);
      sender.start();
    },
    cancel: () => {
      upload.state = 'paused';
      // If it may not be ended there, it expires by itself.
      sender.abort(true).catch(() => undefined);
      uploads.splice(uploads.indexOf(upload), 1);
    },
  });
  uploads.unshift(upload);
  void sender.findPreviousUploads().then(([previous]) => {
    if (previous) sender.resumeFromPreviousUpload(previous);
    sender.start();
  });

  function senderOf(isNew: boolean): TusUpload {
    return new TusUpload(file, {
      ...optionsOf(folder, file, numbered(file.name, number), isNew),
      onProgress: (sent) => (upload.sentBytes = sent),
      onSuccess: () => {
        upload.sentBytes = file.size;
        upload.state = 'done';
        whenDone();
      },
      onError: (error) => {
        const failure = failureOf(error);
        if (failure.status === 412 && number > 1) upload.keepBoth();
        else if (!navigator.onLine) waitForNetwork(upload);
        else Object.assign(upload, { state: failure.status === 412 ? 'exists' : 'failed', failure });
      },
    });
  }
}

function waitForNetwork(upload: Upload): void {
  upload.state = 'offline';
  const goOn = (): void => {
    if (upload.state === 'offline') upload.resume();
  };
  addEventListener('online', goOn, { once: true });
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
