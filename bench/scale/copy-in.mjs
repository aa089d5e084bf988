// Writes rows by COPY, each table on its own connection.

const CHUNK = 256 * 1024;
const ESCAPES = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const field = (value) => {
  if (value === null || value === undefined) return '\\N';
  const text = String(value);
  return /[\\\n\r\t]/.test(text) ? text.replace(/[\\\n\r\t]/g, (sign) => ESCAPES[sign]) : text;
};

/** A row in the text format of COPY. @public for its spec */
export const copyLine = (values) => `${values.map(field).join('\t')}\n`;

/** A COPY as a query of the driver. It gives access to the connection and reports the end. */
class CopyIn {
  constructor(text) {
    this.text = text;
    this.begun = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
    this.ended = new Promise((resolve, reject) => Object.assign(this, { end: resolve, fail: reject }));
    this.ended.catch(() => undefined);
  }

  submit(connection) {
    connection.query(this.text);
  }

  handleCopyInResponse(connection) {
    this.resolve(connection);
  }

  handleError(error) {
    this.reject(error);
    this.fail(error);
  }

  handleCommandComplete() {
    return undefined;
  }

  handleReadyForQuery() {
    this.end();
  }
}

/** Writes rows to a table in pieces, and waits while the connection is full. */
export class TableWriter {
  #text = '';
  #rows = 0;

  /** @param {import('pg').Client} client used by nothing else until `end` */
  constructor(client, table, columns) {
    this.columns = columns;
    this.copy = new CopyIn(`COPY ${table} (${columns.join(', ')}) FROM STDIN`);
    client.query(this.copy);
  }

  /** @returns {Promise<void> | undefined} a promise if the connection is full */
  write(values) {
    this.#text += copyLine(values);
    this.#rows++;
    return this.#text.length > CHUNK ? this.#flush() : undefined;
  }

  async #flush() {
    const text = this.#text;
    this.#text = '';
    const connection = await this.copy.begun;
    connection.sendCopyFromChunk(Buffer.from(text));
    if (connection.stream.writableNeedDrain)
      await Promise.race([
        new Promise((drained) => connection.stream.once('drain', drained)),
        this.copy.ended,
      ]);
  }

  /** @returns {Promise<number>} rows that were written */
  async end() {
    await this.#flush();
    (await this.copy.begun).endCopyFrom();
    await this.copy.ended;
    return this.#rows;
  }
}
