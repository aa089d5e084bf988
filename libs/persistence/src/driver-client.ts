import type { Duplex } from 'node:stream';
import pg from 'pg';
import { DataRowMessage, type BackendMessage } from 'pg-protocol/dist/messages';
import { Parser } from 'pg-protocol/dist/parser';

/** A method of the driver's parser that its types declare as private (pg-protocol 1.16). `length` is that of the message without its code. */
interface ParserInternals {
  parse(chunk: Buffer, onMessage: (message: BackendMessage) => void): void;
  handlePacket(offset: number, code: number, length: number, bytes: Buffer): BackendMessage;
}

/** A part of the driver's connection that its types leave out (pg 8.23). */
interface ConnectionInternals {
  readonly stream: Duplex;
  attachListeners(stream: Duplex): void;
}

const DriverParser = Parser as unknown as new () => ParserInternals;

/** Code of the message `DataRow`. */
const DATA_ROW = 68;
/** Bytes of a message that its own length takes. */
const LENGTH = 4;
/** First byte of the length of a value that is NULL: the length is -1. Lengths of short rows begin with 0. */
const NULL = 255;
/** Bytes. A longer row has long texts, for which one text of the row would be made in vain. */
const SHORT = 1024;

/** Characters. V8 copies a shorter part of a text. A longer part refers to the text, and keeps all of it in memory. */
const COPIED = 13;

/** Reads short values from one text of the whole row. The driver decodes each value by a call out of JavaScript, which takes longer (ADR 0269). */
export class RowParser extends DriverParser {
  override handlePacket(offset: number, code: number, length: number, bytes: Buffer): BackendMessage {
    if (code !== DATA_ROW || length > SHORT) return super.handlePacket(offset, code, length, bytes);
    const text = bytes.toString('latin1', offset, offset + length - LENGTH);
    const count = readShort(bytes, offset);
    const fields = new Array<string | null>(count);
    let at = offset + 2;
    for (let field = 0; field < count; field++) {
      if (bytes[at] === NULL) {
        fields[field] = null;
        at += 4;
        continue;
      }
      const start = at + 4;
      at = start + readShort(bytes, at + 2);
      fields[field] =
        at - start < COPIED && isAscii(bytes, start, at)
          ? text.substring(start - offset, at - offset)
          : bytes.toString('utf8', start, at);
    }
    return new DataRowMessage(length, fields);
  }
}

const readShort = (bytes: Buffer, at: number): number => bytes[at]! * 256 + bytes[at + 1]!;

/** Texts of ASCII are the same in UTF-8 and in Latin-1. */
function isAscii(bytes: Buffer, start: number, end: number): boolean {
  let bits = 0;
  for (let at = start; at < end; at++) bits |= bytes[at]!;
  return bits < 128;
}

/** A connection of the driver that reads rows by `RowParser`. For the option `Client` of a pool. */
export class DriverClient extends pg.Client {
  private readonly wire = (this as unknown as { connection: pg.Connection & ConnectionInternals }).connection;
  private isCollecting = false;

  constructor(options?: pg.ClientConfig) {
    super(options);
    const connection = this.wire;
    connection.attachListeners = (stream) => {
      const parser = new RowParser();
      const announce = (message: BackendMessage): boolean =>
        connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message);
      stream.on('data', (chunk: Buffer) => parser.parse(chunk, announce));
    };
  }

  /** Sends the statements of this turn of the event loop together at its end, so that PostgreSQL is woken once for all of them. */
  sendTogether(): void {
    if (this.isCollecting) return;
    const { stream } = this.wire;
    this.isCollecting = true;
    stream.cork();
    setImmediate(() => {
      this.isCollecting = false;
      stream.uncork();
    });
  }
}
