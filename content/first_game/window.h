// A window in a terminal, so that the first game needs no drawing library. The keys w, a, s and d
// steer, and q closes the window.
#pragma once

#include <muster/game.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

class Window {
 public:
  Window() {
    if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    is_terminal_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  ~Window() {
    if (is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  bool is_open() const { return is_open_; }
  float stick_x() const { return x_; }
  float stick_z() const { return z_; }

  void draw(std::string_view asset, const muster::Vec3& at) {
    const int column = static_cast<int>(at.x) + 4;
    const int row = static_cast<int>(at.z) + 4;
    if (column < 0 || column >= kColumns || row < 0 || row >= kRows) return;
    const bool is_robot = asset.find("robot") != std::string_view::npos;
    rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = is_robot ? 'R' : 'o';
  }

  /// Shows the drawn picture and a line of text below it, and reads the keys. Takes about 33 ms.
  void show(std::string_view text) {
    std::string picture = is_terminal_ ? "\x1b[H\x1b[J" : "";
    for (std::string& row : rows_) {
      if (is_terminal_) picture += row + "\n";
      row.assign(kColumns, '.');
    }
    if (is_terminal_ || text != last_text_) picture += std::string(text) + "\n";
    last_text_ = text;
    std::fwrite(picture.data(), 1, picture.size(), stdout);
    std::fflush(stdout);
    read_keys();
  }

 private:
  static constexpr int kColumns = 60;
  static constexpr int kRows = 16;

  void read_keys() {
    x_ = z_ = 0;
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    if (poll(&input, 1, 33) <= 0) return;
    char key = 0;
    if (read(STDIN_FILENO, &key, 1) <= 0) {
      is_open_ = false;
      return;
    }
    if (key == 'a') x_ = -1;
    if (key == 'd') x_ = 1;
    if (key == 'w') z_ = -1;
    if (key == 's') z_ = 1;
    if (key == 'q') is_open_ = false;
  }

  std::array<std::string, kRows> rows_ = [] {
    std::array<std::string, kRows> rows;
    for (std::string& row : rows) row.assign(kColumns, '.');
    return rows;
  }();
  std::string last_text_;
  termios before_{};
  bool is_terminal_ = false;
  bool is_open_ = true;
  float x_ = 0;
  float z_ = 0;
};
