// Every app imports this before anything else: packages that are loaded later do not work on an older Node.js, and fail with
// a stack trace that does not name the cause. The syntax and the functions used here exist in Node.js 14.

/** The major version of the packages node-linux-*, with which all tests run. */
const OLDEST_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(
    `drawbridge: Node.js ${OLDEST_MAJOR} or newer is needed, and this is ${process.versions.node}; node_modules/.bin/node of the clone is the right one.\n`,
  );
  process.exit(1);
}

export {};
