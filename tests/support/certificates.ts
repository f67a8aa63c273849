import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate that signs itself, and its key, both PEM. */
export interface Identity {
  readonly certificate: string;
  readonly key: string;
}

/** A new identity for these names, like "DNS:service.test" or "IP:127.0.0.1"; needs openssl. */
export function newIdentity(names: string, days = 2): Identity {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  try {
    const form = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=test',
    ];
    const files = ['-keyout', key, '-out', certificate];
    execFileSync('openssl', [...form, '-addext', `subjectAltName=${names}`, '-days', String(days), ...files], {
      stdio: 'pipe',
    });
    return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
