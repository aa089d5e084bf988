const { rmSync } = require('node:fs');

module.exports = async function tearDown() {
  const { database, dataDirectory } = globalThis.drawbridgeTestDatabase;
  await database.stop({ hurry: true });
  rmSync(dataDirectory, { recursive: true, force: true });
};
