// Reads Kubernetes objects (a JSON list) on standard input and prints their faults (a JSON list of sentences). A
// separate process, because the models are ES modules only. Their schemas allow unknown fields, and a cluster would
// ignore a misspelt one without an error. Their types do not allow them, so the compiler checks the objects too.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import typescript from 'typescript';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Packages for API groups that are not part of Kubernetes itself. */
const PACKAGES = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'external-secrets.io': '@kubernetes-models/external-secrets',
};

const modelOf = ({ apiVersion, kind }) => {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
  return `${PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`;
};
const nameOf = ({ kind, metadata }) => `${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`;

async function schemaErrors(object) {
  const { [object.kind]: Model } = await import(modelOf(object));
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [`${nameOf(object)}: ${error.message}`];
  }
}

/** All objects as one program, each declared with the type of its kind. */
function unknownFields(objects) {
  const lines = objects.map(
    (object, index) =>
      `const object${index}: import('${modelOf(object)}').I${object.kind} = ${JSON.stringify(object)};`,
  );
  const file = join(root, 'objects.mts');
  const module = typescript.ModuleKind.NodeNext;
  const options = { module, noEmit: true, skipLibCheck: true, types: [], lib: ['lib.es2022.d.ts'] };
  const host = typescript.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const text = lines.join('\n');
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? typescript.createSourceFile(name, text, typescript.ScriptTarget.ESNext)
      : getSourceFile.call(host, name, ...rest);
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  host.readFile = (name) => (name === file ? text : readFile.call(host, name));
  const program = typescript.createProgram([file], options, host);
  return program.getSemanticDiagnostics(program.getSourceFile(file)).map(({ file, start, messageText }) => {
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${nameOf(objects[line])}: ${typescript.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const objects = JSON.parse(readFileSync(0, 'utf8'));
const wrong = (await Promise.all(objects.map(schemaErrors))).flat();
process.stdout.write(JSON.stringify([...wrong, ...unknownFields(objects)]));
