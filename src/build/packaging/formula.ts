import { version } from '../../../package.json'
import { PUBLISHER } from './publisher.ts'

/** Targets that Homebrew installs. Its Linux is x64 without AVX2, or arm64. */
const BLOCKS = {
  on_macos: { on_arm: 'darwin-arm64', on_intel: 'darwin-x64' },
  on_linux: { on_arm: 'linux-arm64', on_intel: 'linux-x64-baseline' },
}

/** Returns the formula of Homebrew, or `undefined` when an archive is missing. @param sha256Of Checksum of a file, if it is there. */
export function formulaOf(sha256Of: (name: string) => string | undefined): string | undefined {
  const lines: string[] = []
  for (const [system, cpus] of Object.entries(BLOCKS)) {
    lines.push(`  ${system} do`)
    for (const [cpu, target] of Object.entries(cpus)) {
      const name = `holdfast-${version}-${target}.tar.gz`
      const sha256 = sha256Of(name)
      if (sha256 === undefined) return undefined
      lines.push(
        `    ${cpu} do`,
        `      url "${PUBLISHER.releaseUrl}/${name}"`,
        `      sha256 "${sha256}"`,
        '    end',
      )
    }
    lines.push('  end', '')
  }
  return `class Holdfast < Formula
  desc "File host with a dashboard, an API and shares"
  homepage "${PUBLISHER.repository}"
  version "${version}"
  license "MIT"

${lines.join('\n')}
  def install
    bin.install "holdfast"
    bash_completion.install "completions/holdfast.bash" => "holdfast"
    zsh_completion.install "completions/_holdfast"
    fish_completion.install "completions/holdfast.fish"
  end

  service do
    run [opt_bin/"holdfast"]
    environment_variables DATA_PATH: var/"holdfast"
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/holdfast --version")
  end
end
`
}
